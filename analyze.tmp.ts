import { readFileSync } from 'node:fs'
import { locateAudio, locateWaveform, getDurationMs, sliceRecording } from './testing/locate-audio.ts'
const out = process.argv[2]!
const rec = readStereo(readFileSync(out + '.wav'))
const d = JSON.parse(readFileSync(out + '.json', 'utf8'))
function wav(f: string) { const b = readFileSync(f); const at = b.indexOf('data') + 8; return { samples: new Int16Array(b.buffer.slice(b.byteOffset + at, b.byteOffset + b.length)), rateHz: 16000 } }
console.log('recording', rec.caller.rateHz, getDurationMs(rec.caller), 'ms')
// gaps in the caller's and agent's audible segments
function segs(s: Int16Array) { const out: [number, number][] = []; const step = 160; let cur: [number, number] | null = null; for (let i = 0; i + step <= s.length; i += step) { let p = 0; for (let j = i; j < i + step; j++) p = Math.max(p, Math.abs(s[j]!)); const t = i / 16; if (p > 200) { if (cur && t - cur[1] < 250) cur[1] = t + 10; else { cur = [t, t + 10]; out.push(cur) } } } return out }
console.log('caller', JSON.stringify(segs(rec.caller.samples)))
console.log('agent', JSON.stringify(segs(rec.agent.samples)))
for (let q = 0; q < 5; q++) {
  const w = wav(`/tmp/q${q}.wav`)
  const m = locateAudio(w, rec.caller, { fromMs: 0, toMs: getDurationMs(rec.caller) - getDurationMs(w), stepMs: 10 })
  // local alignment: each 200 ms chunk
  const parts: string[] = []
  for (let t = 0; t + 200 <= getDurationMs(w); t += 200) {
    const part = sliceRecording(w, t, t + 200)
    const near = locateAudio(part, rec.caller, { fromMs: Math.max(0, m.atMs + t - 300), toMs: m.atMs + t + 300, stepMs: 2 })
    parts.push(`${near.atMs - m.atMs - t}(${near.correlation.toFixed(2)})`)
  }
  console.log(q, getDurationMs(w), 'at', m.atMs, m.correlation.toFixed(3), parts.join(' '))
}
for (const e of d.events) console.log(JSON.stringify(e).slice(0, 300))

function readStereo(wav: Buffer) {
  const channels = wav.readUInt16LE(22)
  const rateHz = wav.readUInt32LE(24)
  const dataAt = wav.indexOf('data') + 8
  if (channels !== 2) throw new Error(`The recording has ${channels} channels.`)
  const count = Math.floor((wav.length - dataAt) / 4)
  const [caller, agent] = [new Int16Array(count), new Int16Array(count)]
  for (let index = 0; index < count; index += 1) {
    caller[index] = wav.readInt16LE(dataAt + index * 4)
    agent[index] = wav.readInt16LE(dataAt + index * 4 + 2)
  }
  return { caller: { samples: caller, rateHz }, agent: { samples: agent, rateHz } }
}

