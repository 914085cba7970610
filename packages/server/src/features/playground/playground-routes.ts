import { runPlayground } from '@parley/contract/playground'
import { testTool } from '@parley/contract/tool-test'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { PlaygroundService } from './playground-service.ts'
import type { ToolTestService } from './tool-test-service.ts'

export function registerPlaygroundRoutes(api: Api, playground: PlaygroundService, toolTests: ToolTestService): void {
  implement(
    api,
    runPlayground,
  )(async ({ path, body }, { workspaceId }) => {
    return await playground.run(workspaceId, path.agentId, body, new AbortController().signal)
  })
  implement(
    api,
    testTool,
  )(async ({ body }, { workspaceId }) => await toolTests.run(workspaceId, body, new AbortController().signal))
}
