/** The outline of a sound, for drawing it. */
export interface Peaks {
  /** Interleaved samples; may be cut anywhere. */
  push(samples: Int16Array): void
  /** For each channel lowest and highest sample of every stretch in turn. The last stretch may be shorter. */
  finish(): Int16Array[]
}

/** Lowest and highest samples, `perSecond` pairs for each second, of a stream of any length that is never held as a whole. */
export function createPeaks(options: { rateHz: number; channels: number; perSecond: number }): Peaks {
  const { rateHz, channels, perSecond } = options
  const pairs = Array.from({ length: channels }, (): number[] => [])
  const lowest = new Int16Array(channels)
  const highest = new Int16Array(channels)
  let channel = 0
  let sampleIndex = 0
  let stretch = 0
  let windowEnd = endOf(0)
  let isEmpty = true

  function endOf(index: number): number {
    return Math.ceil(((index + 1) * rateHz) / perSecond)
  }

  function close(): void {
    for (const [index, track] of pairs.entries()) track.push(lowest[index] as number, highest[index] as number)
    isEmpty = true
  }

  return {
    push(samples) {
      for (let index = 0; index < samples.length; index += 1) {
        const sample = samples[index] as number
        if (isEmpty) {
          lowest.fill(32_767)
          highest.fill(-32_768)
          isEmpty = false
        }
        if (sample < (lowest[channel] as number)) lowest[channel] = sample
        if (sample > (highest[channel] as number)) highest[channel] = sample
        channel += 1
        if (channel < channels) continue
        channel = 0
        sampleIndex += 1
        if (sampleIndex < windowEnd) continue
        close()
        stretch += 1
        windowEnd = endOf(stretch)
      }
    },
    finish() {
      // Samples of which not every channel came do not count.
      const isWhole = channel === 0 || sampleIndex > (stretch === 0 ? 0 : endOf(stretch - 1))
      if (!isEmpty && isWhole) close()
      return pairs.map((track) => Int16Array.from(track))
    },
  }
}
