import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
const LENGTH_BYTES = 4
const TYPE_BYTES = 4
const CHECKSUM_BYTES = 4
const MAX_COLORS = 256
/** Number of channels by color type of the PNG header: eight bits per channel, with or without alpha, not interlaced. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 }
const INDEXED = 3

/**
 * Compresses a PNG to a fraction of its size. Browsers compress quickly and keep 16 million colors, although a page uses only
 * hundreds. Colors beyond 256, which occur only at the edges of letters, are replaced by the nearest color.
 */
export function shrinkPng(png: Buffer): Buffer {
  const chunks = readChunks(png)
  const header = Buffer.from(chunks.find(({ type }) => type === 'IHDR')?.data ?? [])
  const channels = CHANNELS[header[9] ?? 0]
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) throw new Error('Unsupported PNG format.')
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const colors = readColors(inflateSync(packed), { width, height, channels })
  const { palette, indexes } = indexColors(colors)
  const rows = Buffer.alloc(height * (width + 1))
  for (let row = 0; row < height; row += 1)
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  header[9] = INDEXED
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    printChunk('IHDR', header),
    printChunk('PLTE', Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    printChunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    printChunk('IEND', Buffer.alloc(0)),
  ])
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

function readChunks(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = []
  for (let offset = SIGNATURE_BYTES; offset < png.length; ) {
    const length = png.readUInt32BE(offset)
    const start = offset + LENGTH_BYTES + TYPE_BYTES
    const type = png.toString('latin1', offset + LENGTH_BYTES, start)
    chunks.push({ type, data: png.subarray(start, start + length) })
    offset = start + length + CHECKSUM_BYTES
  }
  return chunks
}

function printChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

interface PixelFormat {
  readonly width: number
  readonly height: number
  readonly channels: number
}

/** Returns each pixel as one number, with the row filters removed. */
function readColors(pixels: Buffer, { width, height, channels }: PixelFormat): Uint32Array {
  const rowBytes = width * channels
  const colors = new Uint32Array(width * height)
  let above = Buffer.alloc(rowBytes)
  for (let row = 0; row < height; row += 1) {
    const offset = row * (rowBytes + 1)
    const bytes = Buffer.from(pixels.subarray(offset + 1, offset + 1 + rowBytes))
    const filter = pixels[offset] ?? 0
    for (let index = 0; index < rowBytes; index += 1) {
      const left = index < channels ? 0 : (bytes[index - channels] ?? 0)
      const up = above[index] ?? 0
      const corner = index < channels ? 0 : (above[index - channels] ?? 0)
      bytes[index] = (bytes[index] ?? 0) + predict(filter, { left, up, corner })
    }
    for (let column = 0; column < width; column += 1)
      colors[row * width + column] = bytes.readUIntBE(column * channels, 3)
    above = bytes
  }
  return colors
}

function predict(filter: number, { left, up, corner }: { left: number; up: number; corner: number }): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [leftDistance, upDistance, cornerDistance] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ]
  if (leftDistance <= upDistance && leftDistance <= cornerDistance) return left
  return upDistance <= cornerDistance ? up : corner
}

/** Returns a palette of at most 256 colors, and the index of the nearest color for each pixel. */
function indexColors(colors: Uint32Array): { readonly palette: readonly number[]; readonly indexes: Uint8Array } {
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const sortedColors = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a - b)
  const palette: number[] = []
  const distances = new Map(sortedColors.map((color) => [color, Number.POSITIVE_INFINITY]))
  const paletteIndexes = new Map<number, number>()
  // Chooses the most useful color next: common colors first, then distinct colors.
  for (let nextColor = sortedColors[0]; nextColor !== undefined && palette.length < MAX_COLORS; ) {
    const paletteIndex = palette.push(nextColor) - 1
    let maxLoss = 0
    const chosenColor = nextColor
    nextColor = undefined
    for (const color of sortedColors) {
      const distance = Math.min(distances.get(color) ?? 0, calculateDistance(color, chosenColor))
      if (distance < (distances.get(color) ?? 0)) paletteIndexes.set(color, paletteIndex)
      distances.set(color, distance)
      const loss = distance * (counts.get(color) ?? 0)
      if (loss <= maxLoss) continue
      maxLoss = loss
      nextColor = color
    }
  }
  return { palette, indexes: Uint8Array.from(colors, (color) => paletteIndexes.get(color) ?? 0) }
}

function calculateDistance(a: number, b: number): number {
  const red = (a >> 16) - (b >> 16)
  const green = ((a >> 8) & 255) - ((b >> 8) & 255)
  const blue = (a & 255) - (b & 255)
  return red * red + green * green + blue * blue
}
