import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { ExpressionReport } from '../testing/expressions/expression-worker.ts'

test('no regular expression takes over 50 ms on 64 KB of any filler', async () => {
  const worker = new Worker(new URL('../testing/expressions/expression-worker.ts', import.meta.url), {
    workerData: { allowedMs: 50 },
  })
  try {
    const [report] = (await once(worker, 'message')) as [ExpressionReport]
    expect(report.slow).toEqual([])
    expect(report.expressions).toBeGreaterThan(1_000)
  } finally {
    await worker.terminate()
  }
}, 120_000)
