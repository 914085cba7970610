import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { MUTATIONS } from './all-mutations.ts'
import { type Checkout, copyCheckout, openCheckout } from './checkout.ts'
import { judgeMutation } from './judge-mutation.ts'
import { AREAS, applyChange, type Mutation, selectChange, VARIANTS, type Variant } from './mutation.ts'
import { type JudgedMutation, meetsThreshold, printSummary, printVerdict } from './print-verdicts.ts'
import { createStages } from './stages.ts'

/** Plants each fault in a copy of the checkout, one at a time, and reports whether the tests catch the fault. */

const ROOT = path.join(import.meta.dirname, '../..')

const OPTIONS = {
  variant: { type: 'string', default: 'after' },
  only: { type: 'string' },
  area: { type: 'string' },
  check: { type: 'boolean', default: false },
  root: { type: 'string' },
  'deadline-minutes': { type: 'string', default: '10' },
  out: { type: 'string' },
} as const

const { values } = parseArgs({ options: OPTIONS })
const variant = VARIANTS.find((name) => name === values.variant)
const ids = values.only?.split(',') ?? null
const selectedMutations = MUTATIONS.filter(
  ({ id, area }) => (ids?.includes(id) ?? true) && (values.area ?? area) === area,
)
const unknownIds = ids?.filter((id) => !MUTATIONS.some((mutation) => mutation.id === id)) ?? []
const deadlineMs = Number(values['deadline-minutes']) * 60_000

if (variant === undefined) fail(`--variant takes ${VARIANTS.join(' or ')}`)
else if (unknownIds.length > 0) fail(`unknown fault: ${unknownIds.join(', ')}`)
else if (selectedMutations.length === 0) fail(`--area takes one of ${AREAS.join(', ')}`)
else if (!(deadlineMs > 0)) fail('--deadline-minutes takes a number above 0')
else if (values.check) checkMutations(selectedMutations, variant)
else await judgeAll(selectedMutations, variant)

function fail(problem: string): void {
  console.error(problem)
  process.exitCode = 2
}

function checkMutations(mutations: readonly Mutation[], codeVariant: Variant): void {
  const root = values.root ?? ROOT
  for (const mutation of mutations) {
    const change = selectChange(mutation, codeVariant)
    try {
      applyChange(readFileSync(path.join(root, change.file), 'utf8'), change)
    } catch (error) {
      console.error(`${mutation.id}: ${error instanceof Error ? error.message : error}`)
      process.exitCode = 1
    }
  }
}

async function judgeAll(mutations: readonly Mutation[], codeVariant: Variant): Promise<void> {
  const checkout = values.root === undefined ? copyCheckout(ROOT) : openCheckout(path.resolve(values.root))
  disposeAtExit(checkout)
  const getStages = createStages(checkout.root, deadlineMs)
  const environment = { applyChange: checkout.applyChange, getStages }
  const judged: JudgedMutation[] = []
  for (const mutation of mutations) {
    const startedAtMs = Date.now()
    const verdict = await judgeMutation(environment, mutation, codeVariant)
    const { id, area, behavior } = mutation
    const judgedMutation = { id, area, behavior, ...verdict, seconds: Math.round((Date.now() - startedAtMs) / 1000) }
    judged.push(judgedMutation)
    console.log(printVerdict(judgedMutation))
    writeResults(codeVariant, judged)
  }
  console.log(printSummary(judged))
  if (!meetsThreshold(judged)) process.exitCode = 1
}

/** Writes the results after every fault, so that an interrupted run keeps its results. */
function writeResults(codeVariant: Variant, judged: readonly JudgedMutation[]): void {
  const file = values.out ?? path.join(ROOT, 'coverage', `mutations-${codeVariant}.json`)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ variant: codeVariant, mutations: judged }, null, 2)}\n`)
}

function disposeAtExit(checkout: Checkout): void {
  // Exit handlers of running test processes were registered earlier.
  process.on('exit', () => checkout[Symbol.dispose]())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
}
