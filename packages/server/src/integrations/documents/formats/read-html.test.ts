import { describe, expect, test } from 'vitest'
import { HELP_PAGE } from '../../../../../../testing/documents/text-documents.ts'
import { describeBlocks, readSample } from '../document-test-kit.ts'

const URL = 'https://hillside.example/help/returns'

describe('a help page', () => {
  test('keeps headings, lists, tables and opening hours but not the navigation', async () => {
    const lines = await describeBlocks(HELP_PAGE, { url: URL })
    expect(lines.slice(0, 2)).toEqual(['# Returns', expect.stringContaining('within 30 days of the delivery')])
    expect(lines).toContain('* 1. Print the label in your orders.')
    expect(lines).toContain('Country / Costs\nGermany / free\nFrance / €4.90')
    expect(lines).toContain('| Monday to Friday: 9:00 to 18:00\nSaturday: 10:00 to 14:00')
    expect(lines.join('\n')).not.toMatch(/cookies|Help menu|never|color:red/)
  })

  test('has a title without the site name and absolute links without fragments', async () => {
    const { document } = await readSample(HELP_PAGE, { url: URL })
    expect(document.title).toBe('Returns')
    expect(document.links).toEqual([
      'https://hillside.example/',
      'https://hillside.example/shop',
      'https://hillside.example/help',
      'https://hillside.example/help/account/orders?id=1',
      'https://other.example/guide',
    ])
    expect((await readSample(HELP_PAGE)).document.links).toEqual([])
  })
})

describe('unusual pages', () => {
  test('keep all short entries', async () => {
    const entries = Array.from(
      { length: 12 },
      (_, index) => `<div class="box"><h3>Topic ${index}</h3><p>Answer ${index}.</p></div>`,
    )
    const lines = await describeBlocks(`<html><body><div>${entries.join('')}</div></body></html>`)
    expect(lines.filter((line) => line.startsWith('Answer'))).toHaveLength(12)
  })

  test('repeat cells that span rows and columns', async () => {
    const table =
      '<table><tr><th>Model</th><th colspan="2">Price</th></tr><tr><td rowspan="2">Kestrel</td><td>new</td><td>900</td></tr>' +
      '<tr><td>used</td><td>500</td></tr></table>'
    expect(await describeBlocks(table)).toEqual(['Model / Price / Price\nKestrel / new / 900\nKestrel / used / 500'])
  })

  test('ignore layout tables', async () => {
    const page = '<table role="presentation"><tr><td>Left</td><td><p>Right</p></td></tr></table><p>Below</p>'
    expect(await describeBlocks(page)).toEqual(['Left', 'Right', 'Below'])
  })

  test('join terms with their definitions and flatten nested lists', async () => {
    expect(
      await describeBlocks(
        '<dl><dt>Price</dt><dd>18 €</dd></dl><ul><li>One<ul><li>Inner</li></ul></li><li>Two</li></ul>',
      ),
    ).toEqual(['* Price: 18 €', '* One', '* Inner', '* Two'])
  })

  test('skip hidden elements', async () => {
    const page =
      '<div><p>Seen</p><p hidden>One</p><p style="display: none">Two</p><p aria-hidden="true">Three</p></div>'
    expect(await describeBlocks(page)).toEqual(['Seen'])
  })

  test('can be nested deeply', async () => {
    const depth = 20_000
    const lines = await describeBlocks(
      `<html><body>${'<div>'.repeat(depth)}Deep${'</div>'.repeat(depth)}</body></html>`,
    )
    expect(lines.join('')).toBe('Deep')
  })
})
