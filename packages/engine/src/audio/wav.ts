const HEADER_BYTES = 44
const RIFF_OVERHEAD_BYTES = 36
const SAMPLE_BYTES = 2

/** Size that streaming writers use while the size is unknown. */
const UNKNOWN_SIZE = 0xffff_ffff

const FORMAT_PCM = 1
const FORMAT_FLOAT = 3
const FORMAT_EXTENSIBLE = 0xfffe
const MAX_RATE_HZ = 384_000
const MAX_CHANNELS = 32

export interface WavAudio {
  readonly rateHz: number
  readonly channels: number
  /** Interleaved samples. */
  readonly samples: Int16Array
}

/** Builds the 44-byte header of 16-bit PCM. With `dataBytes: null`, the size is unknown and readers read to the end. */
export function buildWavHeader(options: {
  rateHz: number
  channels: number
  dataBytes: number | null
}): Uint8Array<ArrayBuffer> {
  const { rateHz, channels, dataBytes } = options
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  const isKnownSize = dataBytes !== null && dataBytes <= UNKNOWN_SIZE - RIFF_OVERHEAD_BYTES
  writeAscii(header, 0, 'RIFF')
  view.setUint32(4, isKnownSize ? dataBytes + RIFF_OVERHEAD_BYTES : UNKNOWN_SIZE, true)
  writeAscii(header, 8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, FORMAT_PCM, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rateHz, true)
  view.setUint32(28, rateHz * channels * SAMPLE_BYTES, true)
  view.setUint16(32, channels * SAMPLE_BYTES, true)
  view.setUint16(34, SAMPLE_BYTES * 8, true)
  writeAscii(header, 36, 'data')
  view.setUint32(40, isKnownSize ? dataBytes : UNKNOWN_SIZE, true)
  return header
}

/** Builds a WAV file from interleaved 16-bit samples. */
export function writeWav({ rateHz, channels, samples }: WavAudio): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * SAMPLE_BYTES
  const file = new Uint8Array(HEADER_BYTES + dataBytes)
  file.set(buildWavHeader({ rateHz, channels, dataBytes }))
  const view = new DataView(file.buffer)
  for (let index = 0; index < samples.length; index += 1) {
    view.setInt16(HEADER_BYTES + index * SAMPLE_BYTES, samples[index] as number, true)
  }
  return file
}

/**
 * Parses 8-, 16-, 24- or 32-bit PCM and 32- or 64-bit floating point into 16-bit samples. Skips unknown chunks and returns a
 * problem for invalid files.
 */
export function parseWav(bytes: Uint8Array): { ok: true; audio: WavAudio } | { ok: false; problem: string } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || readAscii(bytes, 0) !== 'RIFF' || readAscii(bytes, 8) !== 'WAVE') {
    return createProblem('Not a WAV file.')
  }
  let format: Format | null = null
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const name = readAscii(bytes, offset)
    const size = view.getUint32(offset + 4, true)
    const start = offset + 8
    const isTruncated = start + size > bytes.length
    if (name === 'data') {
      if (format === null) return createProblem('The data chunk precedes the format chunk.')
      return readSamples(view, format, { start, size })
    }
    if (isTruncated) return createProblem(`The file is truncated in its "${sanitizeChunkName(name)}" chunk.`)
    if (name === 'fmt ') {
      const formatOrProblem = readFormat(view, start, size)
      if (typeof formatOrProblem === 'string') return createProblem(formatOrProblem)
      format = formatOrProblem
    }
    // Chunks are aligned to even offsets.
    offset = start + size + (size % 2)
  }
  return createProblem('The file is truncated before its data chunk.')
}

/** Averages interleaved channels into one channel. */
export function downmix(samples: Int16Array, channels: number): Int16Array {
  if (channels === 1) return samples
  const mono = new Int16Array(Math.floor(samples.length / channels))
  for (let index = 0; index < mono.length; index += 1) {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1) sum += samples[index * channels + channel] as number
    mono[index] = Math.round(sum / channels)
  }
  return mono
}

interface Format {
  readonly rateHz: number
  readonly channels: number
  readonly bits: number
  readonly isFloat: boolean
}

function readFormat(view: DataView, start: number, size: number): Format | string {
  if (size < 16) return 'The format chunk is too short.'
  const formatTag = view.getUint16(start, true)
  const isExtensible = formatTag === FORMAT_EXTENSIBLE && size >= 40
  const code = isExtensible ? view.getUint16(start + 24, true) : formatTag
  const channels = view.getUint16(start + 2, true)
  const rateHz = view.getUint32(start + 4, true)
  const blockBytes = view.getUint16(start + 12, true)
  const bits = view.getUint16(start + 14, true)
  const allowedBits = code === FORMAT_PCM ? [8, 16, 24, 32] : code === FORMAT_FLOAT ? [32, 64] : []
  if (allowedBits.length === 0) return `Format ${code} is not supported: use PCM or floating point.`
  if (!allowedBits.includes(bits)) return `${bits} bits per sample are not supported.`
  if (channels < 1 || channels > MAX_CHANNELS) return `${channels} channels are not supported.`
  if (rateHz < 1 || rateHz > MAX_RATE_HZ) return `A rate of ${rateHz} Hz is not supported.`
  if (blockBytes !== (channels * bits) / 8) return 'The block size contradicts the sample size.'
  return { rateHz, channels, bits, isFloat: code === FORMAT_FLOAT }
}

function readSamples(
  view: DataView,
  format: Format,
  { start, size }: { start: number; size: number },
): { ok: true; audio: WavAudio } | { ok: false; problem: string } {
  const { rateHz, channels, bits } = format
  const availableBytes = view.byteLength - start
  const blockBytes = (channels * bits) / 8
  const hasUnknownSize = size === UNKNOWN_SIZE || (size === 0 && availableBytes > 0)
  if (!hasUnknownSize && size > availableBytes)
    return createProblem(`The file is truncated: ${size - availableBytes} bytes of audio are missing.`)
  if (!hasUnknownSize && size % blockBytes !== 0) return createProblem('The data chunk ends within a sample.')
  const bytes = hasUnknownSize ? availableBytes - (availableBytes % blockBytes) : size
  const samples = new Int16Array((bytes * 8) / bits)
  const readSample = createSampleReader(view, format)
  const step = bits / 8
  for (let index = 0; index < samples.length; index += 1) samples[index] = readSample(start + index * step)
  return { ok: true, audio: { rateHz, channels, samples } }
}

function createSampleReader(view: DataView, { bits, isFloat }: Format): (offset: number) => number {
  if (isFloat) {
    const readFloat =
      bits === 32
        ? (offset: number) => view.getFloat32(offset, true)
        : (offset: number) => view.getFloat64(offset, true)
    return (offset) => {
      const value = Math.round(readFloat(offset) * 32_768)
      return Number.isNaN(value) ? 0 : Math.max(-32_768, Math.min(32_767, value))
    }
  }
  // Drop bits beyond the highest 16. Samples of 8 bits are unsigned.
  if (bits === 8) return (offset) => (view.getUint8(offset) - 128) * 256
  const skippedBytes = bits / 8 - SAMPLE_BYTES
  return (offset) => view.getInt16(offset + skippedBytes, true)
}

function createProblem(problem: string): { ok: false; problem: string } {
  return { ok: false, problem }
}

function writeAscii(target: Uint8Array, offset: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) target[offset + index] = text.charCodeAt(index)
}

function readAscii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4))
}

function sanitizeChunkName(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').trim()
}
