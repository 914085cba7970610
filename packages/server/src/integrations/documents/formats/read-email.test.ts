import { expect, test } from 'vitest'
import { makePriceList } from '../../../../../../testing/documents/office-documents.ts'
import { makeEmail } from '../../../../../../testing/documents/text-documents.ts'
import { linesOf, readNow } from '../document-test-kit.ts'

test('an e-mail with an attachment under a wrong name', async () => {
  const email = makeEmail('Preise für den Frühling', [
    { contentType: 'text/html; charset=utf-8', content: '<p>Hello,</p><p>the list is attached.</p>' },
    { contentType: 'application/octet-stream', filename: 'prices.dat', content: await makePriceList() },
    { contentType: 'application/zip', filename: 'photos.zip', content: 'PK\x05\x06' },
  ])
  expect((await readNow(email)).document.title).toBe('Preise für den Frühling')
  expect(await linesOf(email)).toEqual([
    '# Preise für den Frühling',
    'From: Anna Berg <anna@hillside.example>; Date: 2026-03-02',
    'Hello,',
    'the list is attached.',
    '## prices.dat',
    '### Prices',
    '#### Price list of spring',
    expect.stringContaining('Flat tyre, back wheel / 1,234.50 €'),
    '### Opening hours',
    'Day / Open\nSaturday / 10:00 to 14:00',
    '## photos.zip',
    expect.stringMatching(/^This attachment was not read\. /),
  ])
})

test('e-mails within e-mails are read to a depth of three', async () => {
  let email = makeEmail('Innermost', [{ contentType: 'text/plain', content: 'The deepest text' }])
  for (const subject of ['Fourth', 'Third', 'Second', 'First']) {
    email = makeEmail(`${subject} mail`, [
      { contentType: 'text/plain', content: `Text of ${subject}` },
      { contentType: 'message/rfc822', filename: 'inner.eml', content: email },
    ])
  }
  const text = (await linesOf(email)).join('\n')
  expect(text).toContain('Text of Fourth')
  expect(text).not.toContain('The deepest text')
  expect(text).toContain('Attachments are read to a depth of 3 e-mails.')
})
