/** The two laws of ITU-T G.711 for 16-bit samples, as computed by the reference software (G.191). */
type Law = 'mu' | 'a'

interface Tables {
  readonly decoded: Int16Array
  /** Codes of positive samples, indexed by their significant bits. */
  readonly encoded: Uint8Array
  /** Number of insignificant low bits in a sample. */
  readonly shift: number
}

const BIAS = 33
const MAX_BIASED = 0x1fff

const tables = new Map<Law, Tables>()

/** Encodes µ-law (North America, Japan) into `target`. */
export function encodeMuLaw(samples: Int16Array, target = new Uint8Array(samples.length)): Uint8Array {
  return encode('mu', samples, target)
}

export function decodeMuLaw(bytes: Uint8Array, target = new Int16Array(bytes.length)): Int16Array {
  return decode('mu', bytes, target)
}

/** Encodes A-law (Europe) into `target`. */
export function encodeALaw(samples: Int16Array, target = new Uint8Array(samples.length)): Uint8Array {
  return encode('a', samples, target)
}

export function decodeALaw(bytes: Uint8Array, target = new Int16Array(bytes.length)): Int16Array {
  return decode('a', bytes, target)
}

function encode(law: Law, samples: Int16Array, target: Uint8Array): Uint8Array {
  const { encoded, shift } = getTables(law)
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] as number
    // Use the one's complement, so that -1 is as close to zero as 0 is. A code's highest bit is its sign.
    target[index] = sample < 0 ? (encoded[~sample >> shift] as number) & 0x7f : (encoded[sample >> shift] as number)
  }
  return target
}

function decode(law: Law, bytes: Uint8Array, target: Int16Array): Int16Array {
  const { decoded } = getTables(law)
  for (let index = 0; index < bytes.length; index += 1) target[index] = decoded[bytes[index] as number] as number
  return target
}

function getTables(law: Law): Tables {
  const cached = tables.get(law)
  if (cached !== undefined) return cached
  const newTables = law === 'mu' ? createMuLawTables() : createALawTables()
  tables.set(law, newTables)
  return newTables
}

function createMuLawTables(): Tables {
  const encoded = Uint8Array.from({ length: 8_192 }, (_, magnitude) => {
    const biased = Math.min(MAX_BIASED, magnitude + BIAS)
    const segment = 32 - Math.clz32(biased >> 5)
    return 0x80 | ((8 - segment) << 4) | (0xf - ((biased >> segment) & 0xf))
  })
  const decoded = Int16Array.from({ length: 256 }, (_, code) => {
    const exponent = (~code >> 4) & 7
    const magnitude = (0x80 << exponent) + ((~code & 0xf) << (exponent + 3)) + (4 << exponent) - 4 * BIAS
    return code < 0x80 ? -magnitude : magnitude
  })
  return { encoded, decoded, shift: 2 }
}

/** Mask of the bits that A-law codes invert (every other bit). */
const A_LAW_TOGGLE = 0x55

function createALawTables(): Tables {
  const encoded = Uint8Array.from({ length: 2_048 }, (_, magnitude) => {
    const exponent = magnitude < 32 ? magnitude >> 4 : 28 - Math.clz32(magnitude)
    const mantissa = magnitude < 32 ? magnitude & 0xf : (magnitude >> (exponent - 1)) & 0xf
    return (0x80 | (exponent << 4) | mantissa) ^ A_LAW_TOGGLE
  })
  const decoded = Int16Array.from({ length: 256 }, (_, code) => {
    const untoggledCode = (code ^ A_LAW_TOGGLE) & 0x7f
    const exponent = untoggledCode >> 4
    const mantissa = ((exponent > 0 ? 0x10 : 0) | (untoggledCode & 0xf)) * 16 + 8
    const magnitude = exponent > 1 ? mantissa << (exponent - 1) : mantissa
    return code < 0x80 ? -magnitude : magnitude
  })
  return { encoded, decoded, shift: 4 }
}
