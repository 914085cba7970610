import { expect, test } from 'vitest'
import { csvCell, csvOf } from './csv.ts'

test('no cell is a formula', () => {
  expect(csvCell('=HYPERLINK("https://a.example")')).toBe(`"'=HYPERLINK(""https://a.example"")"`)
  expect(['+15550100001', '-1+2', '@SUM(A1)', '\tx', '\rx'].map(csvCell)).toEqual([
    "'+15550100001",
    "'-1+2",
    "'@SUM(A1)",
    "'\tx",
    `"'\rx"`,
  ])
  // A number of ours is a number, whatever its sign.
  expect(csvCell(-0.5)).toBe('-0.5')
})

test('commas, quotes and lines stay in their cell', () => {
  expect(
    csvOf([
      ['Name', 'Cost'],
      ['Ada, "the first"\nof her name', 0.25],
      ['سلام 👋', null],
    ]),
  ).toBe('Name,Cost\r\n"Ada, ""the first""\nof her name",0.25\r\nسلام 👋,\r\n')
})
