import { describe, expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'

const edge = (destination_state_name: string) => ({ destination_state_name, description: 'When it fits.' })
const end = (name: string) => ({ type: 'end_call', name })
const states = [
  { name: 'hello', state_prompt: 'Greet {{name}}.', tools: [end('leave')], edges: [edge('order')] },
  { name: 'order', edges: [{ ...edge('hello'), parameters: { type: 'object', properties: {} } }] },
]
const shop = { name: 'Shop', url: 'https://shop.example/mcp', headers: { 'X-Key': '{{key}}' } }

async function openLlms() {
  const features = await wireFeatures()
  const { llms, addLlm, patchLlm } = features
  return {
    ...features,
    read: async (llmId: string) => (await llms.get(1, llmId, 'latest')).response,
    refusedPaths: async (attempt: Promise<unknown>) => {
      const error = (await attempt.then(
        () => null,
        (problem: unknown) => problem,
      )) as { readonly details: readonly { readonly path: string }[] } | null
      return error?.details.map(({ path }) => path)
    },
    addLlm,
    patchLlm,
  }
}

describe('states and servers of an LLM', () => {
  test('are returned as given, and writing them back changes nothing', async () => {
    await using feature = await openLlms()
    const body = { states, starting_state: 'order', mcps: [shop], general_tools: [end('bye')] }
    const llmId = await feature.addLlm(body)
    expect(await feature.read(llmId)).toMatchObject(body)
    expect((await feature.patchLlm(llmId, body)).editCount).toBe(1)
    expect((await feature.patchLlm(llmId, await feature.read(llmId), 1)).editCount).toBe(1)
  })

  test('are cleared with null and stay when absent', async () => {
    await using feature = await openLlms()
    const llmId = await feature.addLlm({ states, starting_state: 'order', mcps: [shop] })
    const baseline = { states, starting_state: 'order', mcps: [shop] }
    expect((await feature.patchLlm(llmId, { general_prompt: 'Two' })).response).toMatchObject(baseline)
    expect((await feature.patchLlm(llmId, { starting_state: null })).response).toMatchObject({
      starting_state: null,
      states,
    })
    const { response } = await feature.patchLlm(llmId, { states: null, mcps: null })
    expect(response).toMatchObject({ states: [], starting_state: null, mcps: [], warnings: [] })
  })

  test('start in the first state, with a warning, when the starting state is removed', async () => {
    await using feature = await openLlms()
    const llmId = await feature.addLlm({ states, starting_state: 'order' })
    const { response } = await feature.patchLlm(llmId, { states: [{ name: 'hello' }] })
    expect(response).toMatchObject({ starting_state: null })
    expect(response.warnings).toEqual([expect.stringMatching(/"order" was removed.*start in "hello"/)])
  })

  test('are rejected when inconsistent, also as the result of an edit', async () => {
    await using feature = await openLlms()
    const { refusedPaths, addLlm, patchLlm } = feature
    expect(await refusedPaths(addLlm({ starting_state: 'x', states, general_tools: [end('leave')] }))).toEqual([
      'starting_state',
      'states[0].tools[0].name',
    ])
    const llmId = await addLlm({ states, starting_state: 'order' })
    expect(await refusedPaths(patchLlm(llmId, { general_tools: [end('leave'), end('transition_to_hello')] }))).toEqual([
      'states[0].tools[0].name',
      'states[1].edges[0].destination_state_name',
    ])
    expect(await refusedPaths(patchLlm(llmId, { starting_state: 'x' }))).toEqual(['starting_state'])
    expect((await feature.llms.get(1, llmId, 'latest')).editCount).toBe(1)
  })

  test('warn of tools without a server', async () => {
    await using feature = await openLlms()
    const tool = { type: 'mcp', name: 'find', mcp_id: 'Shop' }
    const llmId = await feature.addLlm({ general_tools: [tool] })
    const { response } = await feature.patchLlm(llmId, { display_name: 'Desk' })
    expect(response.warnings).toEqual([expect.stringContaining('"find" refers to the MCP server "Shop"')])
    expect((await feature.patchLlm(llmId, { mcps: [shop] })).response.warnings).toEqual([])
  })

  test('are empty in older rows, and an empty edit changes nothing', async () => {
    await using feature = await openLlms()
    const { database, llms, addLlm, patchLlm } = feature
    const llmId = await addLlm({ general_prompt: 'One' })
    await database.transaction(async (transaction) => {
      const row = await transaction.selectFrom('resource_versions').select('definition').executeTakeFirstOrThrow()
      const { states: _, starting_state, mcps, ...before } = JSON.parse(row.definition)
      await transaction
        .updateTable('resource_versions')
        .set({ definition: JSON.stringify(before) })
        .execute()
    })
    expect(await feature.read(llmId)).toMatchObject({ states: [], starting_state: null, mcps: [] })
    expect((await patchLlm(llmId, { general_prompt: 'One', states: null })).editCount).toBe(1)
    expect((await llms.get(1, llmId, 'latest')).editCount).toBe(1)
    expect((await patchLlm(llmId, { states })).response).toMatchObject({ general_prompt: 'One', states })
  })
})
