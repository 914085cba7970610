/** Creates a computation of `perSecond` pairs of waveform peaks per second from a stream, without buffering it. */
export function createPeaks(options: { rateHz: number; channels: number; perSecond: number }) {
  const { rateHz, channels, perSecond } = options
  const pairs = Array.from({ length: channels }, (): number[] => [])
  const lowest = new Int16Array(channels)
  const highest = new Int16Array(channels)
  let channel = 0
  let sampleIndex = 0
  let stretch = 0
  let windowEnd = getStretchEnd(0)
  let isEmpty = true

  function getStretchEnd(index: number): number {
    return Math.ceil(((index + 1) * rateHz) / perSecond)
  }

  function closeStretch(): void {
    for (const [index, track] of pairs.entries()) track.push(lowest[index] as number, highest[index] as number)
    isEmpty = true
  }

  return {
    /** Adds interleaved samples, split at any position. */
    push(samples: Int16Array): void {
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
        closeStretch()
        stretch += 1
        windowEnd = getStretchEnd(stretch)
      }
    },
    /** Returns each stretch's minimum and maximum per channel. The last stretch may be shorter. */
    finish(): Int16Array[] {
      // Incomplete sample groups do not count.
      const isWhole = channel === 0 || sampleIndex > (stretch === 0 ? 0 : getStretchEnd(stretch - 1))
      if (!isEmpty && isWhole) closeStretch()
      return pairs.map((track) => Int16Array.from(track))
    },
  }
}
