import type { BatchRecognizer } from './batch-recognizer.ts'
import { TurnCaller } from './caller.ts'
import { findGaps, findSpeech, isSilentAtEnd, measureLoweredMs, measureYieldMs, type Span, STEP_MS } from './judge.ts'
import type { Scenario } from './scenario.ts'

/** What happened in a call. Fields that do not apply to its kind are null. */
export interface Outcome {
  readonly id: string
  readonly kind: Scenario['kind']
  readonly condition: string
  readonly source: string
  readonly rateHz: number
  /** Reason that the call could not be judged. */
  readonly problem: string | null
  /** Whether the agent never spoke, so that nothing else could be judged. */
  readonly isUnanswered: boolean
  /** Longest time in which the server or the callers did not run. */
  readonly stallMs: number
  /** Whether the agent was inaudible before the event, for example because of the background. */
  readonly wasSilent: boolean | null
  /** Length of the longest audible gap from the start of the event; 0 if there was none. */
  readonly gapMs: number | null
  /** Time in which the agent was more than 3 dB below its normal volume. */
  readonly loweredMs: number | null
  /** Time until the agent yielded; null if it did not. */
  readonly yieldMs: number | null
  /** Whether the agent stopped for good. */
  readonly gaveUp: boolean | null
  /** Whether the agent spoke before the caller had finished. */
  readonly cutIn: boolean | null
  /** Time from the end of the caller's speech to the first audible word of the agent. */
  readonly responseMs: number | null
}

export interface RunOptions {
  readonly url: string
  /** Creates a call with a silent agent or one that opens the call, and returns its access token. */
  readonly createCall: (hasOpening: boolean) => Promise<string>
  readonly concurrency: number
  /** Runs of a call, at most, if the machine stalls. */
  readonly maxAttempts: number
  /** Null if the callers recognize their own speech. */
  readonly recognizer: BatchRecognizer | null
}

export interface RunResult {
  readonly outcomes: Outcome[]
  /** Delays of the callers' steps in milliseconds, which limit the precision of the result. */
  readonly lateness: number[]
}

const TICK_MS = 5
/** Stall after which a call is repeated. Browsers hold 300 ms of audio, and a stall delays every decision of the server. */
export const MAX_STALL_MS = 150
const SETTLE_MS = 400
const ANSWER_TIMEOUT_MS = 8_000
/** Silence after which the agent's opening is complete. */
const OPENING_SILENCE_MS = 500
const AFTER_RESPONSE_MS = 200
/** Time before an event in which the agent should speak. */
const BEFORE_EVENT_MS = 200

/** Runs all calls, several at a time. */
export async function runScenarios(scenarios: readonly Scenario[], options: RunOptions): Promise<RunResult> {
  const outcomes: Outcome[] = []
  const ticker = new Ticker()
  const waiting = [...scenarios]
  let started = 0
  /** Repeats a call if the machine stalled, because that call says nothing about the product. */
  async function runUnstalled(scenario: Scenario): Promise<Outcome> {
    let best: Outcome | null = null
    for (let attempt = 0; attempt < options.maxAttempts; attempt += 1) {
      started += 1
      const address = `10.${started >> 16}.${(started >> 8) & 255}.${started & 255}`
      const outcome = await runScenario(scenario, { ...options, ticker, address })
      if (best === null || outcome.stallMs < best.stallMs) best = outcome
      if (best.stallMs <= MAX_STALL_MS) return best
    }
    if (best === null) throw new Error('The call was not run.')
    return best
  }

  async function runWaiting(): Promise<void> {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      outcomes.push(await runUnstalled(scenario))
    }
  }
  try {
    await Promise.all(Array.from({ length: options.concurrency }, runWaiting))
  } finally {
    ticker.stop()
  }
  return { outcomes, lateness: ticker.lateness }
}

async function runScenario(
  scenario: Scenario,
  { url, createCall, recognizer, ticker, address }: RunOptions & { readonly ticker: Ticker; readonly address: string },
): Promise<Outcome> {
  const { id, kind, condition, source, rateHz } = scenario
  const unknown = {
    wasSilent: null,
    gapMs: null,
    loweredMs: null,
    yieldMs: null,
    gaveUp: null,
    cutIn: null,
    responseMs: null,
  }
  const outcome = { id, kind, condition, source, rateHz, problem: null, isUnanswered: false, stallMs: 0, ...unknown }
  const caller = new TurnCaller(scenario, recognizer)
  try {
    await caller.join(url, await createCall(scenario.question === null), address)
    const judgment = await ticker.run(caller, performCall(caller, scenario))
    return { ...outcome, ...judgment, stallMs: Math.round(caller.worstStallMs) }
  } catch (error) {
    return { ...outcome, problem: error instanceof Error ? error.message : 'unknown' }
  } finally {
    caller.leave()
  }
}

/** The course of a call. Each `yield` waits for the next step. */
type Script<Result> = Generator<undefined, Result>

function* performCall(caller: TurnCaller, scenario: Scenario): Script<Partial<Outcome>> {
  const { event, question, eventAfterMs, observeMs } = scenario
  if (question === null) caller.startBackground()
  yield* waitUntil(caller, SETTLE_MS)
  const turnAtMs = question === null ? yield* hearOpening(caller) : yield* askQuestion(caller, question)
  if (turnAtMs === null) return { isUnanswered: true }
  caller.startBackground()
  yield* waitUntil(caller, turnAtMs + eventAfterMs)
  const spans = caller.play(event)
  const startMs = spans[0]?.startMs ?? caller.nowMs
  const endMs = spans.at(-1)?.endMs ?? caller.nowMs
  const untilMs = endMs + observeMs
  while (caller.nowMs < untilMs) {
    if (!caller.isOpen) return { problem: 'The call ended.' }
    if (question === null && hasResponded(caller, endMs)) break
    yield
  }
  return question === null ? judgeTurn(caller, spans) : judgeEvent(caller, { startMs, endMs }, untilMs)
}

function judgeEvent({ trace, interruptedAtMs }: TurnCaller, event: Span, untilMs: number): Partial<Outcome> {
  const span = { startMs: event.startMs, endMs: untilMs }
  const isInterrupted = interruptedAtMs.some((atMs) => atMs >= event.startMs)
  const before = { startMs: event.startMs - BEFORE_EVENT_MS, endMs: event.startMs }
  return {
    wasSilent: findGaps(trace, before).length > 0,
    gapMs: Math.max(0, ...findGaps(trace, span).map(({ startMs, endMs }) => endMs - startMs)),
    loweredMs: measureLoweredMs(trace, span),
    yieldMs: measureYieldMs(trace, event, untilMs),
    gaveUp: isInterrupted || isSilentAtEnd(trace, span),
  }
}

function judgeTurn({ trace }: TurnCaller, spans: readonly Span[]): Partial<Outcome> {
  const [first] = spans
  const last = spans.at(-1)
  if (first === undefined || last === undefined) return { problem: 'The caller did not speak.' }
  const cutIn = findSpeech(trace, { startMs: first.startMs, endMs: last.endMs }) !== null
  const answeredAtMs = findSpeech(trace, { startMs: last.endMs, endMs: Number.POSITIVE_INFINITY })
  return { cutIn, responseMs: cutIn || answeredAtMs === null ? null : answeredAtMs - last.endMs }
}

function hasResponded({ trace, nowMs }: TurnCaller, endMs: number): boolean {
  if (nowMs < endMs + AFTER_RESPONSE_MS) return false
  return findSpeech(trace, { startMs: endMs, endMs: nowMs - AFTER_RESPONSE_MS }) !== null
}

function* waitUntil(caller: TurnCaller, timeMs: number): Script<void> {
  while (caller.nowMs < timeMs && caller.isOpen) yield
}

/** Returns the time of the first audible word of the answer, or null. */
function* askQuestion(caller: TurnCaller, question: Scenario['event']): Script<number | null> {
  const endMs = caller.play(question).at(-1)?.endMs ?? caller.nowMs
  return yield* waitForSpeech(caller, endMs)
}

/** Returns the time of the end of the opening, or null. */
function* hearOpening(caller: TurnCaller): Script<number | null> {
  if ((yield* waitForSpeech(caller, 0)) === null) return null
  for (;;) {
    const fromMs = caller.nowMs
    yield* waitUntil(caller, fromMs + OPENING_SILENCE_MS)
    if (findSpeech(caller.trace, { startMs: fromMs, endMs: caller.nowMs }) === null) return caller.nowMs
    if (!caller.isOpen) return null
  }
}

function* waitForSpeech(caller: TurnCaller, fromMs: number): Script<number | null> {
  const untilMs = Math.max(fromMs, caller.nowMs) + ANSWER_TIMEOUT_MS
  for (let checkedMs = fromMs; caller.nowMs < untilMs && caller.isOpen; checkedMs = Math.max(fromMs, caller.nowMs)) {
    yield
    const speechMs = findSpeech(caller.trace, { startMs: checkedMs, endMs: caller.nowMs })
    if (speechMs !== null) return speechMs
  }
  return null
}

interface RunningCall {
  readonly caller: TurnCaller
  readonly script: Script<Partial<Outcome>>
  readonly startedAtMs: number
  readonly finish: (outcome: Partial<Outcome>) => void
  readonly fail: (error: unknown) => void
}

/** Drives all callers in real time. */
class Ticker {
  readonly lateness: number[] = []
  readonly #calls = new Set<RunningCall>()
  readonly #timer = setInterval(() => this.#tick(), TICK_MS)
  #dueMs = performance.now()

  /** Runs a script until it returns. */
  run(caller: TurnCaller, script: Script<Partial<Outcome>>): Promise<Partial<Outcome>> {
    const { promise, resolve, reject } = Promise.withResolvers<Partial<Outcome>>()
    this.#calls.add({ caller, script, startedAtMs: performance.now(), finish: resolve, fail: reject })
    return promise
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const nowMs = performance.now()
    this.lateness.push(Math.max(0, nowMs - this.#dueMs))
    this.#dueMs = nowMs + TICK_MS
    for (const call of this.#calls) {
      while (call.caller.isOpen && call.caller.nowMs + STEP_MS <= nowMs - call.startedAtMs) {
        call.caller.tick()
        if (!this.#advance(call)) break
      }
      if (!call.caller.isOpen && this.#calls.has(call)) this.#advance(call)
    }
  }

  /** Continues the script and returns whether it has more steps. */
  #advance(call: RunningCall): boolean {
    try {
      const { done, value } = call.script.next()
      if (done !== true) return true
      call.finish(value)
    } catch (error) {
      call.fail(error)
    }
    this.#calls.delete(call)
    return false
  }
}
