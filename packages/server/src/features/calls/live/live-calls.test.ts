import { createManualClock } from '@parley/engine/testing/manual-clock'
import { createScriptedClassifiers } from '@parley/engine/testing/scripted-classifier'
import { createUnreachablePorts } from '@parley/engine/testing/scripted-ports'
import { createLoopbackPair } from '@parley/engine/voice/loopback/loopback-leg'
import type { CallObserver } from '@parley/engine/voice/ports'
import { expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { createBackground } from '../../../kernel/work/background.ts'
import { openLiveCalls } from '../live-call-test-kit.ts'
import type { CallRecorders } from '../live-calls.ts'
import { readEvents } from '../records/event-store.ts'
import { createCallEndWriter, createLiveCalls, type LiveCallsDependencies } from './live-calls.ts'

const NO_RECORDERS: CallRecorders = {
  open: () => ({ recordCaller: () => undefined, recordAgent: () => undefined, close: async () => undefined }),
}

/** Opens the calls on a node with silent voices and a leg that records what it receives. */
async function openHost({
  recorders = NO_RECORDERS,
  isDatabaseUp = () => true,
  findModels = async () => ({ resolve: () => SILENT_MODEL, listConfigured: () => ['offline'] }),
}: {
  readonly recorders?: CallRecorders
  readonly findModels?: LiveCallsDependencies['models']['forWorkspace']
  /** Whether the database is available when the node reacquires a slot. */
  readonly isDatabaseUp?: () => boolean
} = {}) {
  const calls = await openLiveCalls()
  const { node, time, agentResolver, makeId } = calls
  const { clock } = time
  const logs: string[] = []
  const logError = (name: string): void => void logs.push(name)
  const background = createBackground({ clock, logError })
  const pumps = new Set<(nowMs: number) => void>()
  const classifiers = createScriptedClassifiers(() => false)
  let heldVoices = 0
  const connect = () => {
    heldVoices += 1
    return () => {
      heldVoices -= 1
    }
  }
  const reacquiredSlots: string[] = []
  let dropSlot: (callId: string) => void = () => undefined
  const live = createLiveCalls({
    clock,
    background,
    recorders,
    logger: { warn: (values, event) => void logs.push(`${event} ${JSON.stringify(values)}`) },
    logError,
    models: { forWorkspace: findModels },
    random: () => 0.5,
    leases: {
      async acquire(workspaceId, leaseId) {
        const isTaken = await node.leases.acquire(workspaceId, leaseId)
        if (isTaken) reacquiredSlots.push(leaseId)
        return isTaken
      },
      release: (leaseId) => node.leases.release(leaseId),
      onLost: (listener) => {
        dropSlot = listener
      },
    },
    agents: agentResolver,
    createDialogueDependencies: (_workspaceId, resolveModel) => ({
      ...createUnreachablePorts(),
      httpTools: { call: async () => ({ ok: false, reason: 'network', message: 'None.', durationMs: 0 }) as never },
      resolveModel,
      clock,
      makeId,
      deadlines: { firstTokenMs: 1_000, idleMs: 1_000, totalMs: 1_000 },
    }),
    speech: {
      forWorkspace: async () => ({
        selectVoices: () => ({
          voices: [{ synthesizer: { ...SILENT_VOICE, connect }, voice: 'v', model: null }],
          standIns: [],
        }),
        selectTranscribers: () => ({ transcribers: [], standIns: [] }),
        warmUpTranscriber: () => undefined,
      }),
    },
    findVoice: async () => null,
    classifiers: async () => ({ open: (_rateHz, onResult) => classifiers.open(onResult) }),
    pacer: {
      add(pump) {
        pumps.add(pump)
        return () => void pumps.delete(pump)
      },
    },
    starter: node.starter,
    callEnder: node.callEnder,
    writer: node.journals,
    storeHandoff: async () => undefined,
    async isHeldByThisNode(callId) {
      if (!isDatabaseUp()) throw new Error('The database is unavailable.')
      return await node.isHeldByThisNode(callId)
    },
  })
  const sentReasons: string[] = []
  const observer: CallObserver = {
    notify(update) {
      if (update.type === 'end') sentReasons.push(update.reason)
    },
  }
  return {
    ...calls,
    live,
    logs,
    sentReasons,
    /** Slots that live calls reacquired. */
    reacquiredSlots,
    dropSlot: (callId: string) => dropSlot(callId),
    countLeftovers: () => ({ pumps: pumps.size, classifiers: classifiers.countOpen(), heldVoices }),
    async join(recognizesSpeech = true) {
      const { callId, accessToken } = await calls.create()
      const { near } = createLoopbackPair({ clock, rateHz: 8_000, recognizesSpeech })
      const admission = await node.admissions.callers.admit(accessToken)
      if (!admission.ok) throw new Error('The caller was not admitted.')
      const joinResult = await live.start({ callId, leg: near, observer })
      if (!joinResult.ok) await admission.release()
      return { callId, joinResult, accessToken }
    },
    async finish() {
      await time.advance(60)
      let isIdle = false
      void background.drain(60_000).then(() => {
        isIdle = true
      })
      await calls.until(() => isIdle)
    },
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  }
}

const SILENT_VOICE = {
  name: 'test/voice',
  async *synthesize() {
    yield { type: 'end' } as const
  },
}
const SILENT_MODEL = {
  async *stream() {
    yield { type: 'end', reason: 'stop' } as never
  },
} as never

test('ends a call that cannot start after its token was used, and frees its slot', async () => {
  const recorders: CallRecorders = {
    open() {
      throw new Error('The recorder is unavailable.')
    },
  }
  await using host = await openHost({ recorders })
  const { callId, joinResult } = await host.join()
  expect(joinResult).toMatchObject({ ok: false, code: 'call_ended', retry: false })
  await host.finish()
  expect(await host.get(callId)).toMatchObject({ status: 'error', disconnectionReason: 'error_unknown' })
  expect(host.logs).toEqual(['start a call'])
  expect(host.live.activeCount).toBe(0)
  expect(host.countLeftovers()).toEqual({ pumps: 0, classifiers: 0, heldVoices: 0 })
  expect(await host.database.read.selectFrom('leases').selectAll().execute()).toEqual([])
})

test('hides the internal cause from a refused caller and logs it', async () => {
  await using host = await openHost({
    findModels: async () => ({ resolve: () => null, listConfigured: () => ['secret/model'] }),
  })
  const { callId, joinResult, accessToken } = await host.join()
  expect(joinResult).toMatchObject({ ok: false, code: 'unavailable', retry: false })
  expect(JSON.stringify(joinResult)).not.toMatch(/secret|offline|provider/)
  expect(host.logs).toEqual(['prepare a call'])
  // The link works again after a fix.
  expect(await host.get(callId)).toMatchObject({ status: 'registered' })
  expect(await host.node.admissions.callers.admit(accessToken)).toMatchObject({ ok: true, callId })
})

test('starts a phone call with its leg and without a token, once', async () => {
  await using host = await openHost()
  const { node, live, time, agentId } = host
  const numbers = { fromNumber: '+15550100001', toNumber: '+15550199999', callSid: 'CA1' }
  const call = await node.callRecords.create({
    ...numbers,
    callId: 'call_phone',
    workspaceId: 1,
    agentId,
    agentVersion: 'active',
    callType: 'phone_call',
    direction: 'inbound',
    metadata: { from: 'a test' },
    customAttributes: {},
    variables: { name: 'Ann' },
    optOutSensitiveDataStorage: false,
    createdAtMs: time.clock.now(),
    expiresAtMs: time.clock.now() + 60_000,
    tokenHash: null,
  })
  const { near, far } = createLoopbackPair({
    clock: time.clock,
    rateHz: 8_000,
    acceptsText: false,
    recognizesSpeech: false,
  })
  const started = await live.start({ callId: call.call_id, leg: near })
  expect(started).toMatchObject({ ok: true, recognition: 'none', standIns: [expect.not.stringContaining('browser')] })
  expect(await host.get('call_phone')).toMatchObject({
    callType: 'phone_call',
    status: 'ongoing',
    direction: 'inbound',
    fromNumber: '+15550100001',
    toNumber: '+15550199999',
    accessToken: null,
    expiresAt: null,
    service_dynamic_variables: { name: 'Ann' },
  })
  const otherLeg = createLoopbackPair({ clock: time.clock, rateHz: 8_000 }).near
  expect(await live.start({ callId: 'call_phone', leg: otherLeg })).toMatchObject({ ok: false, code: 'held_elsewhere' })
  expect(host.countLeftovers()).toMatchObject({ heldVoices: 1 })
  far.hangUp()
  await host.finish()
  expect(host.countLeftovers()).toMatchObject({ heldVoices: 0 })
  expect(await host.get('call_phone')).toMatchObject({ status: 'ended', disconnectionReason: 'user_hangup' })
  expect(await host.database.read.selectFrom('leases').selectAll().execute()).toEqual([])
})

test('does not start a call with a token before its caller was admitted', async () => {
  await using host = await openHost()
  const { callId } = await host.create()
  const { near } = createLoopbackPair({ clock: host.time.clock, rateHz: 8_000 })
  expect(await host.live.start({ callId, leg: near })).toMatchObject({ ok: false, code: 'held_elsewhere' })
  expect(await host.get(callId)).toMatchObject({ status: 'registered' })
})

test('asks a caller to retry while the database is unavailable', async () => {
  const findModels = async () => Promise.reject(new AppError('unavailable', 'The database cannot be reached.'))
  await using host = await openHost({ findModels })
  expect((await host.join()).joinResult).toMatchObject({ ok: false, code: 'unavailable', retry: true })
})

test('records that the last audio of a call could not be stored', async () => {
  const recorders: CallRecorders = {
    open: (options) => ({ ...NO_RECORDERS.open(options), close: async () => options.onProblem('The disk is full.') }),
  }
  await using host = await openHost({ recorders })
  const { callId } = await host.join()
  host.live.endAll()
  await host.finish()
  const events = await readEvents(host.database.read, callId)
  expect(events.slice(-2)).toMatchObject([
    { type: 'warning', code: 'recording', message: 'The disk is full.' },
    { type: 'call-ended', reason: 'error_node_lost' },
  ])
})

test('without a transcriber, informs the caller whether the browser recognizes speech', async () => {
  await using host = await openHost()
  const { joinResult: withBrowser } = await host.join(true)
  expect(withBrowser).toMatchObject({ recognition: 'browser', standIns: [expect.stringContaining("caller's browser")] })
  const { joinResult: withoutBrowser } = await host.join(false)
  expect(withoutBrowser).toMatchObject({
    recognition: 'none',
    standIns: [expect.stringContaining('Type your message')],
  })
  host.live.endAll()
  await host.finish()
})

test('records process stops and notifies callers', async () => {
  await using host = await openHost()
  const { callId, joinResult } = await host.join()
  expect(joinResult).toMatchObject({ ok: true, callId })
  host.live.endAll()
  await host.finish()
  expect(host.sentReasons).toEqual(['error_node_lost'])
  expect(await host.get(callId)).toMatchObject({ status: 'error', disconnectionReason: 'error_node_lost' })
  expect(host.countLeftovers()).toEqual({ pumps: 0, classifiers: 0, heldVoices: 0 })
})

test('ends a call without waiting for a disk that hangs', async () => {
  const recorders: CallRecorders = {
    open: () => ({ ...NO_RECORDERS.open({} as never), close: () => new Promise(() => {}) }),
  }
  await using host = await openHost({ recorders })
  const { callId } = await host.join()
  host.live.endAll()
  await host.time.advance(30_000)
  await host.finish()
  expect(await host.get(callId)).toMatchObject({ status: 'error' })
})

test('reacquires an expired slot as soon as the database responds', async () => {
  let isDatabaseDown = true
  await using host = await openHost({ isDatabaseUp: () => !isDatabaseDown })
  const { callId } = await host.join()
  await host.node.leases.release(callId)
  host.dropSlot(callId)
  await host.until(() => host.logs.length > 0)
  expect(host.reacquiredSlots).toEqual([])
  isDatabaseDown = false
  await host.time.advance(1_000)
  await host.until(() => host.reacquiredSlots.length > 0)
  expect(host.reacquiredSlots).toEqual([callId])
  expect(host.live.activeCount).toBe(1)
  host.live.endAll()
  await host.finish()
})

const END = { reason: 'user_hangup', endedAtMs: 5, state: null } as const

/** Opens a writer on a database that recovers after the given number of failures. */
function openWriter(failures: number) {
  const time = createManualClock()
  const attempts: string[] = []
  const logs: string[] = []
  const writer = createCallEndWriter({
    clock: time.clock,
    logError: (name) => logs.push(name),
    callEnder: {
      async endById(callId, { reason, endedAtMs }) {
        attempts.push(`${callId} ${reason} ${endedAtMs}`)
        if (attempts.length <= failures) throw new Error('The database is unavailable.')
        return true
      },
    },
  })
  return { time, attempts, logs, writer }
}

test('writes the end of a call once the database is back', async () => {
  const { time, attempts, logs, writer } = openWriter(3)
  let isWritten = false
  const pendingWrite = writer.write('call_a', END).then(() => {
    isWritten = true
  })
  await time.advance(2_999)
  expect(isWritten).toBe(false)
  await time.advance(1)
  await pendingWrite
  expect(attempts).toEqual(Array.from({ length: 4 }, () => 'call_a user_hangup 5'))
  expect(logs).toEqual(['write the end of a call'])
  expect(time.countPendingTimers()).toBe(0)
})

test('stops the process without waiting for a database that stays unavailable', async () => {
  const { time, attempts, logs, writer } = openWriter(1_000)
  const pendingWrites = [writer.write('call_a', END), writer.write('call_b', END)]
  await time.advance(1_500)
  expect(attempts).toHaveLength(4)
  writer.stopRetrying()
  await Promise.all(pendingWrites)
  await writer.write('call_c', END)
  expect(attempts).toHaveLength(7)
  // One log entry for the outage, and one for each unwritten end.
  expect(logs).toHaveLength(4)
  expect(time.countPendingTimers()).toBe(0)
})
