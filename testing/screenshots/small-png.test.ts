import { deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { shrinkPng } from './small-png.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

function createChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])
}

function readData(png: Buffer, type: string): Buffer {
  const position = png.indexOf(type)
  return png.subarray(position + 4, position + 4 + png.readUInt32BE(position - 4))
}

/**
 * Two by five pixels. Each row has a different filter, but all rows have the same content: one color on the left, another on
 * the right.
 */
const ROWS = [
  [0, 10, 20, 30, 200, 100, 50],
  [1, 10, 20, 30, 190, 80, 20],
  [2, 0, 0, 0, 0, 0, 0],
  [3, 5, 10, 15, 95, 40, 10],
  [4, 0, 0, 0, 0, 0, 0],
]

test('stores the pixels of an image as indexes into a color table', () => {
  const packed = deflateSync(Buffer.from(ROWS.flat()))
  const small = shrinkPng(
    Buffer.concat([
      SIGNATURE,
      createChunk('IHDR', Buffer.from([0, 0, 0, 2, 0, 0, 0, 5, 8, 2, 0, 0, 0])),
      createChunk('tEXt', Buffer.from('Software\0a browser')),
      createChunk('IDAT', packed.subarray(0, 9)),
      createChunk('IDAT', packed.subarray(9)),
      createChunk('IEND', Buffer.alloc(0)),
    ]),
  )
  expect([...readData(small, 'IHDR')]).toEqual([0, 0, 0, 2, 0, 0, 0, 5, 8, 3, 0, 0, 0])
  expect([...readData(small, 'PLTE')]).toEqual([10, 20, 30, 200, 100, 50])
  expect([...inflateSync(readData(small, 'IDAT'))]).toEqual(Array.from({ length: 5 }, () => [0, 0, 1]).flat())
  expect(small.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082')
})

test('replaces colors beyond the table by the nearest color, and keeps every distinct color', () => {
  const blues = Array.from({ length: 600 }, (_, index) => [0, index >> 2, index & 3])
  const row = [...blues, ...blues, [255, 0, 0]]
  const small = shrinkPng(
    Buffer.concat([
      SIGNATURE,
      createChunk('IHDR', Buffer.from([0, 0, row.length >> 8, row.length & 255, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
      createChunk('IDAT', deflateSync(Buffer.from([0, ...row.flat()]))),
      createChunk('IEND', Buffer.alloc(0)),
    ]),
  )
  const palette = readData(small, 'PLTE')
  expect(palette.length).toBe(256 * 3)
  const paletteIndexes = [...inflateSync(readData(small, 'IDAT'))].slice(1)
  const pixels = paletteIndexes.map((paletteIndex) => [...palette.subarray(paletteIndex * 3, paletteIndex * 3 + 3)])
  expect(pixels.at(-1)).toEqual([255, 0, 0])
  const distantPixels = pixels.filter(([red = 0, green = 0, blue = 0], index) => {
    const [expectedRed = 0, expectedGreen = 0, expectedBlue = 0] = row[index] ?? []
    return Math.abs(red - expectedRed) + Math.abs(green - expectedGreen) + Math.abs(blue - expectedBlue) > 3
  })
  expect(distantPixels).toEqual([])
})
