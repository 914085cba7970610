import { createResampler } from '@parley/engine/audio/resampler'

/** What the wire says of `pcm`: 24 kHz, 16-bit, little-endian, one channel, no header. */
const PCM_RATE_HZ = 24_000
const PCM_FORMAT = 1
/** Up to where the sound of a WAV file must have begun. */
const MAX_HEADER_BYTES = 4_096
/** Others are a fault of the server, and would each cost a filter of their own. */
const STANDARD_RATES_HZ: ReadonlySet<number> = new Set([
  8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
])

/** Turns the bytes of an answer into samples at another rate, however the network split them. */
export interface PcmReader {
  /** Samples that these bytes complete; `null` when they are no sound that is understood. */
  push(bytes: Buffer): Int16Array | null
  /** The last samples. */
  flush(): Int16Array
}

/** Reads bare PCM, and WAV files of it from servers that know nothing else, at a rate that is usual for sound. */
export function createPcmReader(rateHz: number, contentType = ''): PcmReader {
  const hintedRateHz = Number(/rate=(\d+)/.exec(contentType)?.[1] ?? PCM_RATE_HZ)
  let rest: Buffer = Buffer.alloc(0)
  let resampler: ReturnType<typeof createResampler> | null = null
  let isInvalid = false

  const startResampler = (fromHz: number): void => {
    if (STANDARD_RATES_HZ.has(fromHz)) resampler = createResampler(fromHz, rateHz)
    else isInvalid = true
  }

  /** Decides by the first bytes what they are; false while there are too few. */
  const hasStarted = (): boolean => {
    if (resampler !== null || isInvalid) return true
    if (rest.length < 4) return false
    if (rest.toString('latin1', 0, 4) !== 'RIFF') {
      startResampler(hintedRateHz)
      return true
    }
    const header = readHeader(rest)
    if (header === null) {
      isInvalid = rest.length > MAX_HEADER_BYTES
      return isInvalid
    }
    if (header.isPcm) startResampler(header.rateHz)
    else isInvalid = true
    rest = rest.subarray(header.dataStart)
    return true
  }

  return {
    push(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      if (!hasStarted()) return new Int16Array(0)
      if (isInvalid || resampler === null) return null
      const count = rest.length >> 1
      const samples = new Int16Array(count)
      for (let index = 0; index < count; index += 1) samples[index] = rest.readInt16LE(index * 2)
      rest = rest.subarray(count * 2)
      return resampler.push(samples)
    },
    flush: () => resampler?.flush() ?? new Int16Array(0),
  }
}

interface WavHeader {
  readonly rateHz: number
  readonly isPcm: boolean
  readonly dataStart: number
}

/** `null` while the sound has not begun. */
function readHeader(bytes: Buffer): WavHeader | null {
  let place = 12
  let format: Omit<WavHeader, 'dataStart'> | null = null
  while (place + 8 <= bytes.length) {
    const name = bytes.toString('latin1', place, place + 4)
    const size = bytes.readUInt32LE(place + 4)
    const content = place + 8
    if (name === 'data') return { ...(format ?? { rateHz: 0, isPcm: false }), dataStart: content }
    if (name === 'fmt ' && content + 16 <= bytes.length) {
      const isPcm =
        bytes.readUInt16LE(content) === PCM_FORMAT &&
        bytes.readUInt16LE(content + 2) === 1 &&
        bytes.readUInt16LE(content + 14) === 16
      format = { rateHz: bytes.readUInt32LE(content + 4), isPcm }
    }
    place = content + size + (size & 1)
  }
  return null
}
