import path from 'node:path'
import type { Stage } from './judge-mutation.ts'
import type { Area, Change, Mutation } from './mutation.ts'
import { runTests, type TestRun } from './run-tests.ts'

/** Tests that start the server as a process, so that no import connects them to its files. */
const END_TO_END: Readonly<Record<Area, readonly string[]>> = {
  'turn-order': ['test/e2e/turns', 'test/e2e/chats', 'test/e2e/start-and-stop', 'test/e2e/dialogue/rewind'],
  failover: ['test/e2e/turns', 'test/e2e/start-and-stop', 'test/e2e/dialogue/restart'],
  flow: ['test/e2e/dialogue/'],
  rights: ['test/e2e/workspaces', 'test/e2e/logins', 'test/e2e/chats', 'test/e2e/agents'],
  tools: ['test/e2e/tool', 'test/e2e/dialogue/'],
  storage: ['test/e2e/agents', 'test/e2e/llms', 'test/e2e/chats', 'test/e2e/start-and-stop'],
  'turn-machine': ['test/e2e/calls'],
  retrieval: ['test/e2e/knowledge/'],
}

/** Package with the slowest tests, which run after the tests of all other packages. */
const SLOWEST = 'packages/server/'

/**
 * Creates a function that returns every test that can detect a fault, nearest first: tests in the same folder, tests that
 * import the file, end-to-end tests, and slow tests.
 */
export function createStages(root: string, deadlineMs: number) {
  const createStage = (command: readonly string[], tier?: TestRun['tier']): Stage => {
    const shared = { root, deadlineMs, ...(tier && { tier }) }
    return {
      run: (seen) => runTests({ ...shared, vitest: [...command, ...seen.flatMap((file) => ['--exclude', file])] }),
      runFile: (file) => runTests({ ...shared, vitest: ['run', file] }),
    }
  }
  return ({ area, slowTests = [] }: Mutation, { file }: Change): readonly Stage[] => [
    createStage(['run', `${path.dirname(file)}/`]),
    ...(file.startsWith(SLOWEST) ? [] : [createStage(['related', file, '--exclude', `${SLOWEST}**`])]),
    createStage(['related', file]),
    createStage(['run', ...END_TO_END[area]], 'full'),
    ...(slowTests.length > 0 ? [createStage(['run', ...slowTests], 'full')] : []),
  ]
}
