import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createMoonshineTranscriber } from '../packages/server/src/integrations/speech/moonshine/moonshine-transcriber.ts'
import { failOnError } from '../packages/server/src/integrations/speech/speech-test-kit.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import { CLIP_RATE_HZ } from './harness/clip-audio.ts'
import { readOptions } from './harness/options.ts'
import { readCpuMs, readResidentMb } from './harness/process-usage.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'
import { runTalkingCallers, type TalkStats } from './harness/talking-callers.ts'
import { openVoiceRenderer } from './harness/voice-renderer.ts'

/**
 * Measures the built-in speech recognition. Callers speak sentences of the built-in voices in real time, with pauses of 1.5 s.
 * The recognizer has one process with one thread. `--callers=1,5,20` sets the numbers of callers, `--seconds=30` the duration.
 */
const { smoke } = readOptions()
const { values } = parseArgs({ options: { callers: { type: 'string' }, seconds: { type: 'string' } }, strict: false })
const STEPS = smoke
  ? [1]
  : String(values.callers ?? '1,5,20')
      .split(',')
      .map(Number)
const DURATION_MS = smoke ? 3_000 : Number(values.seconds ?? 30) * 1_000
const SENTENCES = [
  'Hello there, I would like to book a table for two tomorrow evening.',
  'Yes please.',
  'Can you tell me when my order will arrive?',
  'I need to change my appointment to next Monday, because I have to work that day.',
  'No, that is not correct.',
]
const VOICES = ['flite:slt', 'flite:rms', 'flite:kal', 'flite:awb']

const loadBefore = loadavg().map(roundStat)
// The recognizer and the voices do not keep this process running.
const keepAlive = setInterval(() => {}, 60_000)
const clips: Int16Array[] = []
{
  await using renderer = await openVoiceRenderer()
  for (const [index, sentence] of SENTENCES.entries())
    clips.push(await renderer.render(sentence, VOICES[index % VOICES.length] ?? ''))
}

const transcriber = createMoonshineTranscriber({ clock: systemClock, logError: failOnError })
const talk = (callers: number, durationMs: number): Promise<TalkStats> =>
  runTalkingCallers({ transcriber, rateHz: CLIP_RATE_HZ, clips, callers, durationMs })
const idleTicks = (await runTalkingCallers({ transcriber, rateHz: CLIP_RATE_HZ, clips, callers: 0, durationMs: 1_000 }))
  .tickLatenessMs

const startedAtMs = performance.now()
await transcribeSilence()
const startMs = performance.now() - startedAtMs
const pid = transcriber.processId ?? process.pid
const startedMb = readResidentMb(pid)
// The first runs compile the model's code.
await talk(1, smoke ? 1_000 : 8_000)

const steps = []
for (const callers of STEPS) {
  const cpuMs = readCpuMs(pid)
  const stepStartMs = performance.now()
  const stats = await talk(callers, DURATION_MS)
  const workMs = readCpuMs(pid) - cpuMs
  const getPercentile = (times: readonly number[], share: number): number =>
    roundStat(calculatePercentile(times, share))
  steps.push({
    callers,
    texts: stats.finalMs.length,
    failures: stats.failures,
    finalP50Ms: getPercentile(stats.finalMs, 0.5),
    finalP95Ms: getPercentile(stats.finalMs, 0.95),
    finalMaxMs: getPercentile(stats.finalMs, 1),
    interimPerText: roundStat(stats.interimTexts / Math.max(1, stats.finalMs.length)),
    cpuPerSpokenSecond: roundStat(workMs / Math.max(1, stats.spokenMs)),
    cpuShare: roundStat(workMs / (performance.now() - stepStartMs)),
    tickP99Ms: getPercentile(stats.tickLatenessMs, 0.99),
    tickMaxMs: getPercentile(stats.tickLatenessMs, 1),
    residentMb: roundStat(readResidentMb(pid)),
  })
}
await transcriber.close()
clearInterval(keepAlive)

printTable(
  [
    'callers',
    'texts',
    'failures',
    'last voice to text p50 ms',
    'p95',
    'worst',
    'interim per text',
    'CPU s per s of speech',
    'CPU of a core',
    'tick late p99 ms',
    'worst',
    'resident MB',
  ],
  steps.map((step) => Object.values(step)),
)
printResult('recognizer', smoke, {
  loadBefore,
  loadAfter: loadavg().map(roundStat),
  startMs: Math.round(startMs),
  startedMb: roundStat(startedMb),
  idleTickP99Ms: roundStat(calculatePercentile(idleTicks, 0.99)),
  steps,
})

/** Starts the process and waits until it has heard half a second of silence. */
function transcribeSilence(): Promise<void> {
  return new Promise((resolve, reject) => {
    const session = transcriber.open({
      rateHz: CLIP_RATE_HZ,
      language: 'en-US',
      keywords: [],
      onEvent(event) {
        session.close()
        if (event.type === 'failed') reject(new Error(event.failure.message))
        else resolve()
      },
    })
    session.voiceStarted()
    for (let frame = 0; frame < 25; frame += 1) session.push(new Int16Array(CLIP_RATE_HZ / 50))
    session.voiceEnded()
  })
}
