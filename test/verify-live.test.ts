import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { KeyedVendor } from '../packages/server/src/features/vendor-keys/public.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import { type Check, verify } from '../scripts/verify-live/check.ts'
import { redactMessage, redactUrl } from '../scripts/verify-live/redact.ts'
import { type CheckResult, RunBudget, runChecks } from '../scripts/verify-live/run-checks.ts'
import { selectVendors } from '../scripts/verify-live/select-vendors.ts'
import { SENT_TEXTS, SENTENCE } from '../scripts/verify-live/spoken-texts.ts'
import { speakSentence } from '../scripts/verify-live/transcriber-checks.ts'
import { verifyVendor } from '../scripts/verify-live/verify-vendor.ts'
import { WireLog } from '../scripts/verify-live/wire-log.ts'
import type { CartesiaReply, CartesiaRequest } from '../testing/cartesia-server/cartesia-reply.ts'
import { startCartesiaServer } from '../testing/cartesia-server/cartesia-server.ts'
import { DEEPGRAM_KEY, startDeepgramServer } from '../testing/deepgram-server/deepgram-server.ts'
import { startElevenLabsServer } from '../testing/elevenlabs-server/elevenlabs-server.ts'
import { startModelServer } from '../testing/model-server/model-server.ts'
import type { ModelReply, ModelServerRequest } from '../testing/model-server/reply.ts'
import { startSpeechServer } from '../testing/speech-server/speech-server.ts'
import { createSteppedClock } from '../testing/tool-server/stepped-clock.ts'

const KEY = 'sk-live-abcdef0123456789'
const LARGE_BUDGET = { usd: 10, totalMs: 300_000 }

/** Spoken once for all tests. */
let spokenSentence: Promise<Int16Array> | undefined

/** Verifies a vendor at a local server. Returns the results by outcome and the log. */
async function verifyLocally(name: KeyedVendor, baseUrl: string, apiKey = KEY) {
  const variables = { API_KEY: apiKey, BASE_URL: baseUrl.replace(/^ws/, 'http') }
  const environment = Object.fromEntries(
    Object.entries(variables).map(([suffix, value]) => [`${name.toUpperCase()}_${suffix}`, value]),
  )
  const { vendors, problems } = selectVendors([name], environment)
  const [selected] = vendors
  if (selected === undefined) throw new Error(problems.join('\n'))
  spokenSentence ??= speakSentence(systemClock)
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-verify-'))
  const logFile = path.join(folder, 'wire', 'log.jsonl')
  try {
    const results = await verifyVendor(
      {
        ...selected,
        logFile,
        clock: systemClock,
        frameIntervalMs: 0,
        spokenSentence,
        onResult: () => undefined,
      },
      new RunBudget(systemClock, LARGE_BUDGET),
    )
    const log = readFileSync(logFile, 'utf8')
    return { results, failures: getFailures(results), log }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function getFailures(results: readonly CheckResult[]): readonly string[] {
  return results.filter(({ outcome }) => outcome !== 'passed').map(({ name, problem }) => `${name} | ${problem}`)
}

/** Checks that a log has messages, but no key and no text of a conversation. */
function expectRedacted(log: string, spokenTexts: readonly string[] = SENT_TEXTS): void {
  expect(log.split('\n').length).toBeGreaterThan(20)
  expect(log).not.toContain(KEY)
  for (const text of spokenTexts) expect(log).not.toContain(text)
  expect(log).not.toMatch(/Bearer|office opens|Lisbon|twelve/)
}

/** Replies like a model that follows all requests. */
function replyAsModel({ headers, body, wire }: ModelServerRequest): ModelReply {
  const key = wire === 'openai' ? headers.authorization : headers['x-api-key']
  if (!String(key).endsWith(KEY)) return { fault: 'status', status: 401 }
  if (body.model === 'parley-no-such-model') return { fault: 'status', status: 404 }
  if (JSON.stringify(body.tool_choice ?? '').match(/required|any/)) {
    return { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Lisbon"}' }] }
  }
  const text = 'one, two, twelve, thirty'
  return { text, delayPerWordMs: 2, ...(body.max_tokens === 16 ? { finish: 'length' } : {}) }
}

async function verifyOpenAi(replyTo: (request: ModelServerRequest) => ModelReply) {
  await using models = await startModelServer()
  models.defaultReply = replyTo
  await using speech = await startSpeechServer({
    apiKey: KEY,
    recognize: () => SENTENCE,
    replyTo: (request) =>
      request.kind === 'speech' && request.body.voice === 'parley-no-such-voice'
        ? { kind: 'json', status: 400, body: { error: { message: `Unknown voice for "${SENTENCE}"` } } }
        : null,
  })
  await using router = await startRouter(models.url, speech.baseUrl)
  return await verifyLocally('openai', `${router.url}/v1`)
}

async function startDeepgram() {
  const server = await startDeepgramServer()
  spokenSentence ??= speakSentence(systemClock)
  server.addRecording({ samples: await spokenSentence, rateHz: 16_000 }, SENTENCE)
  return server
}

describe('a vendor that works as expected passes all checks, and the log has no key and no text', () => {
  test('OpenAI', async () => {
    const { failures, results, log } = await verifyOpenAi(replyAsModel)
    expect(failures).toEqual([])
    expect(results.length).toBeGreaterThan(12)
    expectRedacted(log)
  })

  test('Anthropic', async () => {
    await using models = await startModelServer()
    models.defaultReply = replyAsModel
    const { failures, log } = await verifyLocally('anthropic', models.url)
    expect(failures).toEqual([])
    expectRedacted(log)
    expect(log).toContain('"message_stop"')
  })

  test('Deepgram', async () => {
    await using server = await startDeepgram()
    const { failures, log } = await verifyLocally('deepgram', server.url, DEEPGRAM_KEY)
    expect(failures).toEqual([])
    expectRedacted(log)
    expect(log).not.toContain(DEEPGRAM_KEY)
  })

  test('ElevenLabs', async () => {
    await using server = await startElevenLabsServer({ apiKey: KEY, recognize: () => SENTENCE })
    for (const name of ['multi-stream-input', 'stream-input'])
      server.refusedPaths.set(`/parleynosuchvoice000/${name}`, 404)
    const { failures, log } = await verifyLocally('elevenlabs', server.url)
    expect(failures).toEqual([])
    expectRedacted(log)
  })

  test('Cartesia', async () => {
    await using server = await startCartesiaServer({ apiKey: KEY, replyTo: rejectUnknownVoices })
    const { failures, log } = await verifyLocally('cartesia', server.baseUrl)
    expect(failures).toEqual([])
    expectRedacted(log)
    expect(log).toMatch(/"status_code":400,"request_id":"request-1"/)
  })
})

function rejectUnknownVoices({ fields }: CartesiaRequest): CartesiaReply | null {
  const isUnknown = /0000|no-such/.test(JSON.stringify(fields.voice))
  return isUnknown ? { kind: 'error', status: 404, errorCode: 'voice_not_found' } : null
}

describe('a vendor that deviates fails the check of that assumption, and the others go on', () => {
  test('a stream without an end mark', async () => {
    const { failures } = await verifyOpenAi((request) => {
      const reply = replyAsModel(request)
      return 'text' in reply ? { ...reply, ending: 'no-done' } : reply
    })
    expect(failures).toEqual([expect.stringMatching(/^the usage comes in a chunk.*\| The stream does not end with/)])
  })

  test('a turn that breaks off, and a text without audio', async () => {
    await using server = await startDeepgram()
    server.scriptSpeech({ kind: 'empty' })
    // The fourth connection checks the turns of Flux. It breaks while audio is sent.
    const broken = server.connected(3).then(async (connection) => {
      await server.until(() => connection.sampleCount > 0)
      connection.drop()
    })
    const { failures } = await verifyLocally('deepgram', server.url, DEEPGRAM_KEY)
    await broken
    expect(failures).toEqual([
      expect.stringMatching(/^Flux starts with "Connected".*\| The socket failed \(unavailable\)/),
      expect.stringMatching(/^speech at 16000 Hz.*\| The speech failed \(protocol\)/),
    ])
  })

  test('a model without usage', async () => {
    await using models = await startModelServer()
    models.defaultReply = (request) => {
      const reply = replyAsModel(request)
      return 'text' in reply ? { ...reply, usage: null } : reply
    }
    const { failures } = await verifyLocally('anthropic', models.url)
    expect(failures).toEqual([
      expect.stringMatching(/^the usage counts/),
      expect.stringMatching(/^"message_start" counts input tokens/),
    ])
  })

  test('word times of another text', async () => {
    await using server = await startCartesiaServer({
      apiKey: KEY,
      replyTo: (request) => {
        const word_timestamps = { words: ['other'], start: [0], end: [0.1] }
        if (request.fields.transcript === SENTENCE && request.fields.context_id !== 'one')
          return { kind: 'message', fields: { type: 'timestamps', word_timestamps } }
        return rejectUnknownVoices(request)
      },
    })
    const { failures } = await verifyLocally('cartesia', server.baseUrl)
    expect(failures).toEqual([
      'word times match the text, ascend and lie within the audio | The 9 words do not join to the text.',
    ])
  })

  test('alignments that count from the start of the context', async () => {
    await using server = await startElevenLabsServer({ apiKey: KEY, recognize: () => SENTENCE })
    for (const name of ['multi-stream-input', 'stream-input'])
      server.refusedPaths.set(`/parleynosuchvoice000/${name}`, 404)
    const createMessage = (text: string, startMs: number) => {
      const times = { charStartTimesMs: [startMs], charDurationsMs: [400] }
      return { audio: 'AAAA', isFinal: null, alignment: { chars: [text], ...times } }
    }
    const speak = { kind: 'speak' } as const
    const absolute = {
      kind: 'messages',
      messages: [createMessage('Please hold', 0), createMessage(' the line', 400), { isFinal: true }],
    } as const
    // Two voices, two texts of the cancellation, word times and two contexts come first.
    server.scriptSpeech(speak, speak, speak, speak, speak, speak, speak, absolute)
    const { failures } = await verifyLocally('elevenlabs', server.url)
    expect(failures).toEqual([expect.stringMatching(/^alignments.*\| The times continue after the previous chunk/)])
  })

  test('a server that rejects the key fails every check that needs it', async () => {
    await using server = await startCartesiaServer({ apiKey: 'another key' })
    const { results, failures } = await verifyLocally('cartesia', server.baseUrl)
    expect(results.find(({ name }) => name.startsWith('a wrong key'))?.outcome).toBe('passed')
    expect(failures.length).toBe(results.length - 1)
  })
})

describe('the run', () => {
  const createCheck = (name: string, run: Check['run'], costUsd = 0.4): Check => ({ name, costUsd, run })

  async function runLocally(checks: readonly Check[], clock = createSteppedClock(), usd = 1) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-verify-'))
    const log = new WireLog({ file: path.join(folder, 'log.jsonl'), clock, hiddenTexts: [KEY] })
    const results = runChecks(checks, new RunBudget(clock, { usd, totalMs: 60_000 }), {
      clock,
      log,
      onResult: () => undefined,
    })
    return results.finally(() => rmSync(folder, { recursive: true }))
  }

  test('skips checks that the budget does not cover, without running them', async () => {
    const runs: string[] = []
    const checks = ['a', 'b', 'c'].map((name) => createCheck(name, async () => void runs.push(name)))
    const results = await runLocally([...checks, createCheck('free', async () => void runs.push('free'), 0)])
    expect(runs).toEqual(['a', 'b', 'free'])
    expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'skipped', 'passed'])
    expect(results[2]?.problem).toBe('The budget is used up.')
  })

  test('ends a check at its limit, aborts its signal, and stops at the total limit', async () => {
    const clock = createSteppedClock()
    const signals: AbortSignal[] = []
    const hang = (signal: AbortSignal): Promise<void> => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const checks = ['a', 'b', 'c', 'd'].map((name) => createCheck(name, hang, 0))
    const results = runLocally([{ ...checks[0], limitMs: 5_000 } as Check, ...checks.slice(1)], clock)
    for (const limitMs of [5_000, 30_000, 25_000]) {
      await clock.waitForTimer(limitMs)
      clock.advance(limitMs)
    }
    expect((await results).map(({ problem }) => problem)).toEqual([
      'The check did not end within 5000 ms.',
      'The check did not end within 30000 ms.',
      'The check did not end within 25000 ms.',
      'The total time is over.',
    ])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
    expect(clock.timerCount).toBe(0)
  })

  test('reports wrong assumptions with their problem, and unexpected errors without their message', async () => {
    const results = await runLocally([
      createCheck('a', async () => verify(false, 'There was no audio.')),
      createCheck('b', async () => Promise.reject(Object.assign(new Error(`secret ${KEY}`), { code: 'ECONNRESET' }))),
    ])
    expect(results.map(({ problem }) => problem)).toEqual(['There was no audio.', 'Unexpected Error (ECONNRESET).'])
  })

  test('needs a key and a valid address', () => {
    const missingKey = 'Set OPENAI_API_KEY to your key to verify openai.'
    expect(selectVendors(['openai'], { OPENAI_API_KEY: ' ' }).problems).toEqual([missingKey])
    expect(selectVendors(['openai'], { OPENAI_API_KEY: KEY })).toEqual({
      vendors: [{ vendor: 'openai', settings: { apiKey: KEY, baseUrl: null } }],
      problems: [],
    })
    const withoutHost = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'api' }
    expect(selectVendors(['openai'], withoutHost).problems.join()).toMatch(/OPENAI_BASE_URL: must be an http/)
    expect(selectVendors([], {}).problems.join()).toMatch(/^Name a vendor: /)
  })

  test('prints each check and the log, and its exit code shows the result', async () => {
    await using server = await startCartesiaServer({ apiKey: 'another key' })
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-verify-'))
    try {
      const environment = { CARTESIA_API_KEY: KEY, CARTESIA_BASE_URL: server.baseUrl }
      const failed = await runProgram(['cartesia', '--log-dir', folder], environment)
      expect(failed.code).toBe(1)
      expect(failed.output).toMatch(/^FAILED {2}speech at 16000 Hz/m)
      expect(failed.output).toMatch(/^ok {6}a wrong key/m)
      expect(failed.output).toContain(`Log: ${folder}`)
      expect(readdirSync(folder)).toEqual([expect.stringMatching(/^cartesia-.*\.jsonl$/)])
      const unusable = await runProgram(['cartesia', 'nobody'], {})
      expect(unusable).toMatchObject({ code: 2, output: expect.stringContaining('Set CARTESIA_API_KEY') })
      expect(unusable.output).toContain('Unknown vendor "nobody"')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

function runProgram(programArguments: readonly string[], variables: Readonly<Record<string, string>>) {
  const file = path.join(import.meta.dirname, '..', 'scripts', 'verify-live', 'main.ts')
  return new Promise<{ readonly code: unknown; readonly output: string }>((resolve) => {
    // Without the other variables, which include settings of the test runner.
    const options = { env: { PATH: process.env.PATH, ...variables }, timeout: 60_000 }
    execFile(process.execPath, [file, ...programArguments], options, (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output: `${output}${errors}` }),
    )
  })
}

describe('the log', () => {
  test('keeps the structure of messages, but no texts', () => {
    const message = {
      type: 'chunk',
      context_id: 'a-1',
      data: 'AAAA',
      words: ['Hello', 'you'],
      step_time: 12.5,
      done: false,
      'my secret plan': null,
    }
    expect(redactMessage(JSON.stringify(message))).toEqual({
      type: 'chunk',
      context_id: 'a-1',
      data: '<text 4>',
      words: ['<text 5>', '<text 3>'],
      step_time: 12.5,
      done: false,
      '<name>': null,
    })
    expect(redactMessage('my secret plan')).toBe('<text 14>')
    expect(redactMessage(Buffer.alloc(640))).toBe('<binary 640>')
    expect(redactMessage(JSON.stringify({ type: 'my secret plan' }))).toEqual({ type: '<text 14>' })
  })

  test('keeps messages of errors without quotes and keys', () => {
    const error = { message: `Invalid key ${KEY} for "my secret plan"`, code: 'invalid_api_key' }
    expect(redactMessage(JSON.stringify({ error }))).toEqual({
      error: { message: 'Invalid key [key] for "…"', code: 'invalid_api_key' },
    })
    expect(redactMessage(JSON.stringify({ message: 'my secret plan' }))).toEqual({ message: '<text 14>' })
  })

  test('keeps addresses without credentials and keywords', () => {
    expect(redactUrl('wss://a:b@api.test/v1/listen?model=nova-3&keyterm=Parley&token=abc&x=a%20b')).toBe(
      'wss://api.test/v1/listen?model=nova-3&keyterm=hidden&token=hidden&x=hidden',
    )
  })
})

/** Starts a server that forwards audio requests to one server and all others to another, because OpenAI has one address. */
async function startRouter(modelUrl: string, speechUrl: string) {
  const server = createServer((incoming, response) => {
    const origin = incoming.url?.startsWith('/v1/audio') === true ? new URL(speechUrl).origin : modelUrl
    const { method = 'GET', headers } = incoming
    const forwarded = sendRequest(`${origin}${incoming.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
