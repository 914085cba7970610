import { CreateLlmBody } from '@parley/contract/llm'
import { expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'
import { createLlmKnowledgeRemoval } from './llm-knowledge-removal.ts'

const DELETED_BASE = 'knowledge_base_gone'
const naming = { knowledge_base_ids: ['knowledge_base_a', DELETED_BASE, 'knowledge_base_b'] }

async function openRemoval() {
  const features = await wireFeatures()
  const { database, llms } = features
  return {
    ...features,
    remove: () =>
      database.transaction((transaction) =>
        createLlmKnowledgeRemoval().knowledgeBaseRemoved(transaction, {
          workspaceId: 1,
          knowledgeBaseId: DELETED_BASE,
          now: 9,
        }),
      ),
    read: async (llmId: string, version: number | 'latest' = 'latest', workspaceId = 1) => {
      const { answer, editCount } = await llms.get(workspaceId, llmId, version)
      return { version: answer.version, ids: answer.knowledge_base_ids, editCount }
    },
  }
}

test('an unused draft loses the knowledge base, behind frozen versions as well, which stay as they are', async () => {
  await using features = await openRemoval()
  const { addLlm, addAgent, patchLlm, pin, remove, read } = features
  const llmId = await addLlm(naming)
  await pin(await addAgent(llmId))
  const used = await addLlm(naming)
  await pin(await addAgent(used))
  await patchLlm(llmId, { general_prompt: 'Two' })
  const fresh = await addLlm(naming)
  await remove()
  await remove()
  const remainingBases = ['knowledge_base_a', 'knowledge_base_b']
  expect(await read(llmId)).toEqual({ version: 2, ids: remainingBases, editCount: 3 })
  expect(await read(llmId, 1)).toMatchObject({ ids: naming.knowledge_base_ids })
  expect(await read(used)).toEqual({ version: 1, ids: naming.knowledge_base_ids, editCount: 1 })
  expect(await read(fresh)).toEqual({ version: 1, ids: remainingBases, editCount: 2 })
})

test('other workspaces and drafts that only speak of it are left alone', async () => {
  await using features = await openRemoval()
  const { llms, addLlm, remove, read } = features
  const foreign = await llms.create(2, CreateLlmBody.parse(naming))
  const speaking = await addLlm({ general_prompt: DELETED_BASE, knowledge_base_ids: ['knowledge_base_a'] })
  await remove()
  expect(await read(foreign.answer.llm_id, 1, 2)).toMatchObject({ ids: naming.knowledge_base_ids, editCount: 1 })
  expect(await read(speaking)).toMatchObject({ ids: ['knowledge_base_a'], editCount: 1 })
})
