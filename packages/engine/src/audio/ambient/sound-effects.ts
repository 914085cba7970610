import { type SoundSource, scattered } from './sound-source.ts'

/** Porcelain and spoons: short, with overtones that belong to no note. */
export function cups(gain: number, everyMs: number): SoundSource {
  return scattered(everyMs, (random) => {
    const hz = 1_500 + random() * 1_300
    const fading = 26 + random() * 22
    const second = random() < 0.35 ? 0.09 + random() * 0.08 : 9
    const strike = (seconds: number): number =>
      seconds < 0
        ? 0
        : Math.exp(-fading * seconds) *
          Math.min(1, seconds * 900) *
          (Math.sin(2 * Math.PI * hz * seconds) + 0.5 * Math.sin(2 * Math.PI * hz * 1.37 * seconds))
    return (seconds) => (seconds > 0.4 ? null : gain * (strike(seconds) + 0.6 * strike(seconds - second)))
  })
}

/** A phone on a desk some rows away, that somebody picks up after a ring or two. */
export function deskPhones(gain: number, everyMs: number): SoundSource {
  return scattered(everyMs, (random) => {
    const hz = 850 + random() * 450
    const rings = 1 + Math.floor(random() * 2)
    return (seconds) => {
      if (seconds > rings * 2.2) return null
      const inRing = seconds % 2.2
      if (inRing > 0.9) return 0
      const warble = Math.floor(inRing / 0.05) % 2 === 0 ? hz : hz * 1.25
      const edge = Math.min(1, inRing * 80, (0.9 - inRing) * 80)
      return gain * 0.5 * edge * Math.sin(2 * Math.PI * warble * inRing)
    }
  })
}

/** Birds: some notes that glide, one after another. */
export function birds(gain: number, everyMs: number): SoundSource {
  return scattered(everyMs, (random) => {
    const notes = 2 + Math.floor(random() * 5)
    const noteSeconds = 0.06 + random() * 0.09
    const baseHz = 2_000 + random() * 1_000
    const glideHz = (random() - 0.4) * 1_200
    const shape = random() * 3
    return (seconds) => {
      const note = Math.floor(seconds / (noteSeconds * 1.6))
      if (note >= notes) return null
      const inNote = seconds - note * noteSeconds * 1.6
      if (inNote > noteSeconds) return 0
      const share = inNote / noteSeconds
      const hz = baseHz + 180 * Math.sin(note * shape)
      // The phase is the integral of the gliding frequency.
      const turns = hz * inNote + (glideHz * inNote * share) / 2
      return gain * Math.sin(Math.PI * share) * Math.sin(2 * Math.PI * turns)
    }
  })
}

/** Crickets: trains of pulses that swell and go. */
export function crickets(gain: number): SoundSource {
  return (rateHz, random) => {
    const singers = Array.from({ length: 3 }, () => ({
      hz: 2_900 + random() * 500,
      pulsesHz: 22 + random() * 9,
      phraseSeconds: 0.9 + random() * 0.8,
      loudness: 0.3 + 0.7 * random(),
      offset: random() * 5,
    }))
    let step = 0
    return () => {
      const seconds = step / rateHz
      step += 1
      let sum = 0
      for (const { hz, pulsesHz, phraseSeconds, loudness, offset } of singers) {
        const share = ((seconds + offset) % phraseSeconds) / phraseSeconds
        if (share > 0.6) continue
        const pulse = Math.max(0, Math.sin(2 * Math.PI * pulsesHz * seconds))
        sum += loudness * Math.sin((Math.PI * share) / 0.6) * pulse * pulse * Math.sin(2 * Math.PI * hz * seconds)
      }
      return gain * sum
    }
  }
}

/** Keys of keyboards, in bursts with pauses in between. */
export function typing(gain: number): SoundSource {
  return (rateHz, random) => {
    let wait = 0
    let burst = 3 + Math.floor(random() * 8)
    let age = 1
    let hz = 1_800
    let loudness = 1
    let isRelease = false
    return () => {
      wait -= 1
      if (wait <= 0) {
        age = 0
        isRelease = !isRelease
        loudness = isRelease ? 0.3 + 0.2 * random() : 0.6 + 0.4 * random()
        hz = (isRelease ? 2_300 : 1_500) + random() * 700
        // A key comes up 60 ms after it went down; the next one follows soon, or after some thought.
        const nextKeyMs = burst > 0 ? 45 + 90 * random() : 350 + 700 * random()
        if (!isRelease) burst = burst > 0 ? burst - 1 : 4 + Math.floor(random() * 9)
        wait = Math.round((rateHz * (isRelease ? nextKeyMs : 45 + 30 * random())) / 1000)
      }
      age += 1 / rateHz
      if (age > 0.05) return 0
      const body = Math.sin(2 * Math.PI * hz * age) * Math.exp(-age * 160)
      const crack = (random() * 2 - 1) * Math.exp(-age * 420)
      return gain * loudness * (0.7 * crack + 0.5 * body)
    }
  }
}
