import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Result of a test run; `files` are the files that ran. */
export type TestResult =
  | { readonly type: 'passed'; readonly files: readonly string[] }
  /** `file` is `null` if an error does not belong to a test. */
  | { readonly type: 'failed'; readonly file: string | null; readonly test: string; readonly files: readonly string[] }
  /** The run exceeded its deadline. */
  | { readonly type: 'hung' }
  /** Vitest itself failed. */
  | { readonly type: 'broken'; readonly output: string }

export interface TestRun {
  /** Root of the checkout. */
  readonly root: string
  /** Command and filters for Vitest. */
  readonly vitest: readonly string[]
  readonly tier?: 'full'
  readonly deadlineMs: number
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const MAX_OUTPUT_CHARACTERS = 2_000

/** Runs Vitest on a checkout until the first failure. */
export async function runTests({ root, vitest, tier, deadlineMs }: TestRun): Promise<TestResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-report-'))
  const reportFile = path.join(folder, 'report.json')
  try {
    const program = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const options = ['--run', '--bail', '1', '--passWithNoTests', '--reporter=json', `--outputFile=${reportFile}`]
    const result = await runProgram([program, ...vitest, ...options], { root, tier: tier ?? null, deadlineMs })
    return result === null ? { type: 'hung' } : readResult(root, reportFile, result)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readResult(root: string, reportFile: string, { code, output }: ProgramResult): TestResult {
  let report: Report
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  } catch {
    return { type: 'broken', output }
  }
  const files = report.testResults.map(({ name }) => path.relative(root, name))
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const failedTest = assertionResults.find((test) => test.status === 'failed')
    if (failedTest !== undefined) return [{ file: path.relative(root, name), test: failedTest.fullName }]
    // Files that did not run because of a failure elsewhere are reported as failed, without a message.
    return message === '' ? [] : [{ file: path.relative(root, name), test: 'the file could not be run' }]
  })
  const [failure] = failures
  if (failure !== undefined) return { type: 'failed', ...failure, files }
  return code === 0 ? { type: 'passed', files } : { type: 'failed', file: null, test: 'unhandled error', files }
}

interface ProgramResult {
  readonly code: number
  readonly output: string
}

/** Runs a program and resolves to its result, or `null` if the deadline passed. */
function runProgram(
  programArguments: readonly string[],
  { root, tier, deadlineMs }: { readonly root: string; readonly tier: 'full' | null; readonly deadlineMs: number },
): Promise<ProgramResult | null> {
  const { TIER: _tier, TEST_REPORT: _report, ...environment } = process.env
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, programArguments, {
      cwd: root,
      env: { ...environment, ...(tier !== null && { TIER: tier }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group lets workers and servers end with the program.
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS)
      })
    }
    let isLate = false
    const endGroup = (): void => killGroup(child.pid)
    const timer = setTimeout(() => {
      isLate = true
      endGroup()
    }, deadlineMs)
    process.prependOnceListener('exit', endGroup)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      process.off('exit', endGroup)
      resolve(isLate ? null : { code: code ?? 1, output })
    })
  })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}
