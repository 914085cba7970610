import type { FliteVoice } from './flite-protocol.ts'

/** Name of a voice in the module. `kal` has two variants with different loudness. */
export type FliteVariant = FliteVoice | 'kal16'

/**
 * Gain in dB that brings each variant to −20 LUFS (ITU-R BS.1770-4). Computed from the loudness of eight sentences without
 * gain: slt −15.8, rms −21.7, kal −20.4, kal16 −28.4, awb −20.3. A test measures the result.
 */
const GAINS_DB: Readonly<Record<FliteVariant, number>> = { slt: -4.2, rms: 1.7, kal: 0.4, kal16: 8.4, awb: 0.3 }

const FULL_SCALE = 32_767
/** Level (−3 dB below full scale) above which peaks are compressed instead of clipped. */
const KNEE = FULL_SCALE * 10 ** (-3 / 20)
const HEADROOM = FULL_SCALE - KNEE

/** Brings speech of a variant to the common loudness, in place. The gain is fixed, so that emphasis is kept. */
export function adjustLoudness(samples: Int16Array, variant: FliteVariant): void {
  const gain = 10 ** (GAINS_DB[variant] / 20)
  for (let index = 0; index < samples.length; index += 1) samples[index] = compressPeak((samples[index] ?? 0) * gain)
}

/** Compresses a sample above the knee, so that it stays below full scale. The curve has no corner at the knee. */
function compressPeak(sample: number): number {
  const excess = Math.abs(sample) - KNEE
  return Math.round(excess <= 0 ? sample : Math.sign(sample) * (KNEE + HEADROOM * Math.tanh(excess / HEADROOM)))
}
