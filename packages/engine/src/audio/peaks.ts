/** Creates a calculator that finds `perSecond` pairs of waveform peaks per second in a stream without buffering it. */
export function createPeaks(options: { rateHz: number; channels: number; perSecond: number }) {
  const { rateHz, channels, perSecond } = options
  const pairs = Array.from({ length: channels }, (): number[] => [])
  const minima = new Int16Array(channels)
  const maxima = new Int16Array(channels)
  let channel = 0
  let sampleIndex = 0
  let windowIndex = 0
  let windowEnd = getWindowEnd(0)
  let isEmpty = true

  function getWindowEnd(index: number): number {
    return Math.ceil(((index + 1) * rateHz) / perSecond)
  }

  function closeWindow(): void {
    for (const [index, peaks] of pairs.entries()) peaks.push(minima[index] as number, maxima[index] as number)
    isEmpty = true
  }

  return {
    /** Adds interleaved samples. A chunk may end within a sample group. */
    push(samples: Int16Array): void {
      for (let index = 0; index < samples.length; index += 1) {
        const sample = samples[index] as number
        if (isEmpty) {
          minima.fill(32_767)
          maxima.fill(-32_768)
          isEmpty = false
        }
        if (sample < (minima[channel] as number)) minima[channel] = sample
        if (sample > (maxima[channel] as number)) maxima[channel] = sample
        channel += 1
        if (channel < channels) continue
        channel = 0
        sampleIndex += 1
        if (sampleIndex < windowEnd) continue
        closeWindow()
        windowIndex += 1
        windowEnd = getWindowEnd(windowIndex)
      }
    },
    /** Returns the minimum and maximum of each window per channel. The last window may be shorter. */
    finish(): Int16Array[] {
      // Ignore a last window that contains only an incomplete sample group.
      const hasCompleteGroup = channel === 0 || sampleIndex > (windowIndex === 0 ? 0 : getWindowEnd(windowIndex - 1))
      if (!isEmpty && hasCompleteGroup) closeWindow()
      return pairs.map((peaks) => Int16Array.from(peaks))
    },
  }
}
