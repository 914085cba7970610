import { describe, expect, test } from 'vitest'
import { createPriceList } from '../../../../../../testing/documents/office-documents.ts'
import { makeEmail } from '../../../../../../testing/documents/text-documents.ts'
import { describeBlocks, readFailure, readSample } from '../document-test-kit.ts'

describe('Markdown', () => {
  test('is read with front matter, headings, lists, a table and code', async () => {
    const text =
      '---\ntitle: "Our rules"\n---\n# Rules *today*\n\nText with `code` and [a link](https://x.example) &amp; more  \nnext line\n\n' +
      '1. one\n2. two\n   - inner\n\n| Day | Open |\n|---|---|\n| Monday | 9:00 |\n\n```\nx  =  1\n```\n'
    expect((await readSample(text)).document.title).toBe('Our rules')
    expect(await describeBlocks(text)).toEqual([
      '# Rules today',
      '| Text with code and a link & more\nnext line',
      '* 1. one',
      '* 2. two',
      '* inner',
      'Day / Open\nMonday / 9:00',
      '| x  =  1',
    ])
  })
})

describe('CSV and TSV', () => {
  test.each([
    [
      'semicolons and quotes',
      'name;price;note\nBike;"18,50";"a;b"\nTube;4;\n',
      'name / price / note\nBike / 18,50 / a;b\nTube / 4 / ',
    ],
    ['a cell with a line break', 'name,note\nBike,"one\ntwo"\n', 'name / note\nBike / one two'],
    ['a declared separator', 'sep=|\nname|price\nBike|18\n', 'name / price\nBike / 18'],
    ['no header', 'Bike,18\nTube,4\n', '\nBike / 18\nTube / 4'],
    ['an unclosed quote', 'name,size\nTire,"26\nTube,28\n', 'name / size\nTire / "26\nTube / 28'],
  ])('%s', async (_name, text, table) => {
    expect(await describeBlocks(text, { filename: 'a.csv' })).toEqual([table])
  })

  test('limits rows and columns', async () => {
    const rows = 'a,b,c\n'.repeat(20)
    expect(await readFailure(rows, { filename: 'a.csv', limits: { tableRows: 10 } })).toContain('10 rows')
    expect(await readFailure(rows, { filename: 'a.csv', limits: { tableColumns: 2 } })).toContain('2 columns')
  })
})

describe('JSON', () => {
  test('is read as tables of records and lines of paths', async () => {
    const value = {
      title: 'Shop',
      hours: { monday: '9:00', closed: ['Sunday', 'holidays'] },
      articles: [
        { name: 'Bike', price: 900 },
        { name: 'Tube', price: 4 },
      ],
      questions: [{ question: 'Do you repair?', answer: { short: 'Yes' } }],
    }
    expect(await describeBlocks(JSON.stringify(value))).toEqual([
      '| title: Shop',
      '# hours',
      '| hours.monday: 9:00\nhours.closed: Sunday, holidays',
      '# articles',
      'name / price\nBike / 900\nTube / 4',
      '# questions',
      '## Do you repair?',
      '| question: Do you repair?',
      '### answer',
      '| answer.short: Yes',
    ])
  })

  test('is rejected if it is nested too deeply', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
    expect(await readFailure(deep)).toBe('The document exceeds the limit of 100 nested JSON levels: flatten it.')
    expect(await readFailure(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toContain('100 nested JSON levels')
  })
})

test('plain text with headings', async () => {
  const text =
    'OPENING HOURS\n\nMonday to Friday\n9:00 to 18:00\n\nReturns\n=======\nWhat you bought can be sent back within thirty days, ' +
    'and then\nyou get your money.\n\nWe need:\n- the receipt\n- the article,\n  unused\n'
  expect(await describeBlocks(text)).toEqual([
    '# OPENING HOURS',
    '| Monday to Friday\n9:00 to 18:00',
    '# Returns',
    'What you bought can be sent back within thirty days, and then you get your money.',
    'We need:',
    '* the receipt',
    '* the article, unused',
  ])
})

test('limits the number of characters', async () => {
  expect(await readFailure('word '.repeat(100), { limits: { characters: 100 } })).toBe(
    'The document has more than 100 characters, the limit for one document: split it.',
  )
})

test('an email with an attachment whose file name is misleading', async () => {
  const email = makeEmail('Preise für den Frühling', [
    { contentType: 'text/html; charset=utf-8', content: '<p>Hello,</p><p>the list is attached.</p>' },
    { contentType: 'application/octet-stream', filename: 'prices.dat', content: await createPriceList() },
    { contentType: 'application/zip', filename: 'photos.zip', content: 'PK\x05\x06' },
  ])
  expect((await readSample(email)).document.title).toBe('Preise für den Frühling')
  expect(await describeBlocks(email)).toEqual([
    '# Preise für den Frühling',
    'From: Anna Berg <anna@hillside.example>; Date: 2026-03-02',
    'Hello,',
    'the list is attached.',
    '## prices.dat',
    '### Prices',
    '#### Price list of spring',
    expect.stringContaining('Flat tire, back wheel / 1,234.50 €'),
    '### Opening hours',
    'Day / Open\nSaturday / 10:00 to 14:00',
    '## photos.zip',
    expect.stringMatching(/^This attachment was not read\. /),
  ])
})

test('nested emails are read up to a depth of three', async () => {
  let email = makeEmail('Innermost', [{ contentType: 'text/plain', content: 'The deepest text' }])
  for (const subject of ['Fourth', 'Third', 'Second', 'First']) {
    email = makeEmail(`${subject} mail`, [
      { contentType: 'text/plain', content: `Text of ${subject}` },
      { contentType: 'message/rfc822', filename: 'inner.eml', content: email },
    ])
  }
  const text = (await describeBlocks(email)).join('\n')
  expect(text).toContain('Text of Fourth')
  expect(text).not.toContain('The deepest text')
  expect(text).toContain('Emails can be nested up to 3 levels deep.')
})
