import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core'
import { INPUT_TOO_LARGE, NEVER_FINISHED, OUT_OF_MEMORY, RESULT_TOO_LARGE, STOPPED } from './sandbox-failures.ts'
import type { SandboxInstance } from './sandbox-instance.ts'
import { SANDBOX_LIMITS } from './sandbox-limits.ts'
import { CODE_FILE, PRELUDE } from './sandbox-prelude.ts'
import type { SandboxOutcome, SandboxRequest } from './sandbox-protocol.ts'
import { outcomeOfThrown, readThrownError } from './thrown-error.ts'

/** Jobs of promises between two looks at whether the run has to stop. */
const JOBS_PER_STEP = 100

/** A context that runs one piece of code and is then thrown away with everything in it. */
interface Sandbox {
  readonly context: QuickJSContext
  readonly runtime: QuickJSRuntime
  /** Of the prelude. */
  readonly read: QuickJSHandle
  readonly render: QuickJSHandle
  readonly describe: QuickJSHandle
  readonly code: string
  readonly isStopped: () => boolean
  readonly hasGrown: () => boolean
}

/**
 * Runs code in an instance of the interpreter that nothing else uses, before or after. No function of the host is reachable from
 * inside; the only call out asks `isStopped`. Throws what the instance throws when it breaks.
 */
export function runInSandbox(
  instance: SandboxInstance,
  request: SandboxRequest,
  isStopped: () => boolean,
): SandboxOutcome {
  // Stopped before it got here: its time was over while the thread started.
  if (isStopped()) return STOPPED
  const runtime = instance.interpreter.newRuntime({
    memoryLimitBytes: SANDBOX_LIMITS.memoryBytes,
    maxStackSizeBytes: SANDBOX_LIMITS.stackBytes,
    interruptHandler: isStopped,
  })
  const context = runtime.newContext()
  const prelude = context.evalCode(PRELUDE, 'prelude', { type: 'global' }).unwrap()
  const [read, render, describe] = ['read', 'render', 'describe'].map((name) => context.getProp(prelude, name))
  if (read === undefined || render === undefined || describe === undefined) throw new Error('The prelude is broken.')
  const { code } = request
  const sandbox: Sandbox = { context, runtime, read, render, describe, code, isStopped, hasGrown: instance.hasGrown }
  const values = [request.variablesText, request.metadataText].map((text) =>
    context.callFunction(read, context.undefined, context.newString(text)),
  )
  if (values.some((value) => value.error !== undefined)) return INPUT_TOO_LARGE
  return runCode(
    sandbox,
    values.map((value) => value.unwrap()),
  )
}

function runCode(sandbox: Sandbox, values: readonly QuickJSHandle[]): SandboxOutcome {
  const { context } = sandbox
  // On one line with its first line, so that the lines of a stack are the customer's. The last one may end in a comment.
  const source = `(async function (dv, metadata) {${sandbox.code}\n})`
  const compiled = context.evalCode(source, CODE_FILE, { type: 'global' })
  if (compiled.error !== undefined) return outcomeOfError(sandbox, compiled.error)
  const called = context.callFunction(compiled.value, context.undefined, ...values)
  if (called.error !== undefined) return outcomeOfError(sandbox, called.error)
  return waitFor(sandbox, called.value)
}

/** Runs the jobs of promises until the one of the code is settled, nothing is left to do or the run has to stop. */
function waitFor(sandbox: Sandbox, promise: QuickJSHandle): SandboxOutcome {
  for (;;) {
    const state = sandbox.context.getPromiseState(promise)
    if (state.type === 'fulfilled') return outcomeOfResult(sandbox, state.value)
    if (state.type === 'rejected') return outcomeOfError(sandbox, state.error)
    if (sandbox.isStopped()) return STOPPED
    const ran = sandbox.runtime.executePendingJobs(JOBS_PER_STEP)
    if (ran.error !== undefined) return outcomeOfError(sandbox, ran.error)
    if (ran.value === 0) return NEVER_FINISHED
  }
}

function outcomeOfResult(sandbox: Sandbox, value: QuickJSHandle): SandboxOutcome {
  const { context } = sandbox
  const rendered = context.callFunction(sandbox.render, context.undefined, value)
  if (rendered.error !== undefined) return outcomeOfError(sandbox, rendered.error)
  const length = context.getNumber(context.getProp(rendered.value, 'length'))
  if (length > SANDBOX_LIMITS.resultBytes) return RESULT_TOO_LARGE
  const resultText = context.getString(rendered.value)
  // Taking a text out needs memory inside, and says nothing when there is none.
  if (resultText === '' && length > 0) return OUT_OF_MEMORY
  return Buffer.byteLength(resultText) > SANDBOX_LIMITS.resultBytes ? RESULT_TOO_LARGE : { ok: true, resultText }
}

function outcomeOfError(sandbox: Sandbox, error: QuickJSHandle): SandboxOutcome {
  const { context } = sandbox
  // The interpreter throws null when not even an error fits any more.
  if (sandbox.hasGrown() && context.eq(error, context.null)) return OUT_OF_MEMORY
  const described = context.callFunction(sandbox.describe, context.undefined, error)
  if (described.error === undefined) {
    return outcomeOfThrown(readThrownError(context.getString(described.value)), sandbox.code)
  }
  return sandbox.hasGrown() ? OUT_OF_MEMORY : outcomeOfThrown(null, sandbox.code)
}
