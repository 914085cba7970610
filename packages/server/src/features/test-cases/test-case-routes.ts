import { createTestCase, deleteTestCase, getTestCase, listTestCases, updateTestCase } from '@parley/contract/test-case'
import { type Api, implement, respondWithEtag, respondWithVersionPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { TestCaseService } from './test-case-service.ts'

/** Registers the test case routes. */
export function registerTestCaseRoutes(api: Api, service: TestCaseService): void {
  implement(api, createTestCase, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.workspaceId, body)),
  )

  implement(api, listTestCases, async ({ query }, context) => {
    const { type, llmId, conversationFlowId, version } = query
    const filter = { workspaceId: context.workspaceId, type, llmId, conversationFlowId, version }
    return respondWithVersionPage(context, await service.list(filter, parsePageRequest(query)))
  })

  implement(api, getTestCase, async ({ path }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, path.testCaseDefinitionId)),
  )

  implement(api, updateTestCase, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    return respondWithEtag(context, await service.update({ workspaceId, id: path.testCaseDefinitionId, ifMatch }, body))
  })

  implement(api, deleteTestCase, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, id: path.testCaseDefinitionId, ifMatch }),
  )
}
