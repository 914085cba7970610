import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { TestCase } from '@parley/contract/test-case'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import type { WorkspaceScene } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'

async function createFlow(
  { server }: WorkspaceScene,
  instruction: object = { type: 'prompt', text: 'Greet.' },
): Promise<string> {
  const { body } = await server.call('POST', '/api/conversation-flows', {
    body: {
      workspaceId: server.workspaceId,
      nodes: [
        {
          id: 'welcome',
          type: 'conversation',
          instruction,
          edges: [
            { transition_condition: { type: 'prompt', prompt: 'Goodbye was said' }, destination_node_id: 'goodbye' },
          ],
        },
        { id: 'goodbye', type: 'end' },
      ],
    },
  })
  return (body as ConversationFlow).conversation_flow_id
}

async function readFlow({ server }: WorkspaceScene, flowId: string, version?: number): Promise<ConversationFlow> {
  const query = `workspaceId=${server.workspaceId}${version === undefined ? '' : `&version=${version}`}`
  return (await server.call('GET', `/api/conversation-flows/${flowId}?${query}`)).body as ConversationFlow
}

/** Waits for the id at the end of the URL. */
async function idInAddress(page: Page, pattern: RegExp): Promise<string> {
  await page.waitForURL(pattern)
  return pattern.exec(page.url())?.[1] ?? ''
}

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Flow as JSON' })
const selected = (page: Page): Promise<string> => page.evaluate('String(getSelection())')

describe.skipIf(findChromium() === null)('conversation flows in the dashboard', () => {
  test('creates a flow from a template, finds an error and fixes it', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('flows')
    await page.getByRole('button', { name: 'New flow' }).first().click()
    await page.getByRole('textbox', { name: /^Name/ }).fill('Cakes to order')
    await page.getByRole('radio', { name: /^Cake orders/ }).check()
    await page.getByRole('button', { name: 'Create flow' }).click()
    const flowId = await idInAddress(page, /\/flows\/(conversation_flow_\w+)/)
    await page.getByRole('heading', { name: 'Cakes to order', exact: true }).waitFor()
    await page.getByText('cake_count > 5').waitFor()
    await page.getByText('The flow is valid.').waitFor()

    await page.getByRole('tab', { name: 'JSON' }).click()
    const editor = editorOf(page)
    const whole = `${JSON.stringify(writable(await readFlow(scene, flowId)), null, 2)}\n`
    await editor.fill(whole.replace('"destination_node_id": "large_order"', '"destination_node_id": "nobody"'))
    const problem = page.getByRole('listitem').filter({ hasText: 'nodes[2].edges[0].destination_node_id' })
    await problem.getByText('must be the ID of a node: there is no node "nobody"').waitFor()

    await page.getByRole('tab', { name: 'Nodes' }).click()
    await page.getByText('Unknown node').waitFor()
    await page.getByText('Unreachable').waitFor()
    await problem.getByRole('button', { name: 'Show in JSON' }).click()
    await expectEventually(() => selected(page)).toBe('"nobody"')

    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('must be the ID of a node: there is no node "nobody"').first().waitFor()
    expect((await readFlow(scene, flowId)).nodes[2]).toMatchObject({ edges: [{ destination_node_id: 'large_order' }] })

    await expectEventually(() => selected(page)).toBe('"nobody"')
    await page.keyboard.insertText('"goodbye"')
    await expectEventually(() => problem.count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Flow saved').waitFor()
    const saved = await readFlow(scene, flowId)
    expect(saved.nodes[2]).toMatchObject({ edges: [{ destination_node_id: 'goodbye' }] })
    expect(saved.nodes).toHaveLength(6)
    await page.getByText('Saved', { exact: true }).waitFor()
    expectNoViolations(pageViolations, 400)
  })

  test('shares one document between form and JSON; publishes and compares versions', async ({ scene }) => {
    const flowId = await createFlow(scene)
    const { page, pageViolations } = await scene.open(`flows/${flowId}?tab=settings`)
    await page.getByLabel('Name', { exact: true }).fill('Appointments')
    await page.getByLabel('Speaks first').selectOption('user')
    await page.getByLabel('Speak after silence').fill('4000')
    await page.reload()
    await expectEventually(() => page.getByLabel('Speak after silence').inputValue()).toBe('4000')
    await page.getByRole('tab', { name: 'JSON' }).click()
    await expectEventually(() => editorOf(page).textContent()).toContain('"begin_after_user_silence_ms": 4000')
    await page.getByText('Unsaved changes').waitFor()
    expect(await readFlow(scene, flowId)).toMatchObject({ start_speaker: 'agent', begin_after_user_silence_ms: null })

    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByLabel('Title').fill('The user begins')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 1 published').waitFor()
    expect(await readFlow(scene, flowId)).toMatchObject({
      ...{ version: 1, is_published: true, version_title: 'The user begins' },
      ...{ start_speaker: 'user', begin_after_user_silence_ms: 4000 },
    })

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Speak after silence').fill('')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Unpublished changes', { exact: true }).waitFor()
    expect((await readFlow(scene, flowId)).begin_after_user_silence_ms).toBeNull()

    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByRole('region', { name: 'Speak after silence' }).getByText('4000').waitFor()
    await page.getByRole('button', { name: 'Actions for version 1' }).click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    await page.getByText('Version 1 restored as version 2').waitFor()
    expect((await readFlow(scene, flowId)).begin_after_user_silence_ms).toBe(4000)
    expectNoViolations(pageViolations)
  })

  test('tests the draft of a flow with a new chat agent', async ({ scene }) => {
    const flowId = await createFlow(scene, { type: 'static_text', text: 'Stored words.' })
    const { page, pageViolations } = await scene.open(`flows/${flowId}?tab=json`)
    await editorOf(page).waitFor()
    await editorOf(page).fill(
      ((await editorOf(page).textContent()) ?? '').replace('Stored words.', 'Words of the draft.'),
    )
    await page.getByRole('button', { name: 'Create chat agent' }).click()
    await page.getByText('New conversations use your changes as soon as you save.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Start chat' }).click()
    await page.getByRole('log').getByText('Words of the draft.').waitFor()
    expect((await readFlow(scene, flowId)).nodes[0]).toMatchObject({ instruction: { text: 'Words of the draft.' } })
    expectNoViolations(pageViolations)
  })

  test('merges edits of two people by field', async ({ scene }) => {
    const flowId = await createFlow(scene)
    const { page } = await scene.open(`flows/${flowId}?tab=settings`)
    await page.getByLabel('Speak after silence').fill('2500')
    const body = { workspaceId: scene.server.workspaceId, global_prompt: 'Be brief.' }
    await scene.server.call('PATCH', `/api/conversation-flows/${flowId}`, { body })
    await page.keyboard.press('ControlOrMeta+s')
    const dialog = page.getByRole('dialog', { name: 'Someone else changed this' })
    await dialog.getByRole('region', { name: 'Global instructions' }).getByText('Be brief.').waitFor()
    await dialog.getByRole('region', { name: 'Speak after silence' }).getByText('2500').waitFor()
    await dialog.getByRole('button', { name: 'Apply my edits' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Flow saved').waitFor()
    const saved = await readFlow(scene, flowId)
    expect(saved).toMatchObject({ global_prompt: 'Be brief.', begin_after_user_silence_ms: 2500 })
    expect(saved.nodes).toHaveLength(2)
  })

  test('lets a viewer see flows and test cases only', async ({ scene }) => {
    const flowId = await createFlow(scene)
    const body = { workspaceId: scene.server.workspaceId, name: 'Says goodbye', conversation_flow_id: flowId }
    await scene.server.call('POST', '/api/test-case-definitions', { body })
    const person = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open('flows', { person })
    await page.getByRole('link', { name: flowId }).click()
    await page.getByText('Goodbye was said').waitFor()
    for (const name of ['Save', 'Publish', 'Undo']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    await page.getByRole('button', { name: 'More actions' }).click()
    await expectEventually(() => page.getByRole('menuitem').allTextContents()).toEqual(['Export JSON'])
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await page.getByLabel('Speaks first').isDisabled()).toBe(true)
    await page.getByRole('tab', { name: 'JSON' }).click()
    await editorOf(page).press('x')
    expect(await editorOf(page).textContent()).not.toContain('x{')

    await page.goto('test-cases?type=conversation-flow')
    await page.getByRole('link', { name: 'Says goodbye' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: /Save|Add|Replace|More actions/ }).count()).toBe(0)
    expectNoViolations(pageViolations)
  })
})

describe.skipIf(findChromium() === null)('test cases in the dashboard', () => {
  test('creates and edits a test case and shows server errors at their fields', async ({ scene }) => {
    const llm = { workspaceId: scene.server.workspaceId, display_name: 'Bicycle repair shop' }
    await scene.server.call('POST', '/api/llms', { body: llm })
    const { page, pageViolations } = await scene.open('test-cases')
    await page.getByRole('button', { name: 'New test case' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Asks for the price 🚲')
    await page.getByLabel('Target', { exact: true }).click()
    await page.getByRole('option', { name: 'Bicycle repair shop' }).click()
    await page.getByRole('button', { name: 'Create test case' }).click()
    const id = await idInAddress(page, /\/test-cases\/([\w-]+)/)

    await page.getByRole('textbox', { name: 'Instructions' }).fill('You have a flat tire.')
    await page.getByRole('button', { name: 'Add criterion' }).click()
    await page.getByLabel('Criterion 1', { exact: true }).fill('A price is named')
    await page.getByRole('button', { name: 'Add mock' }).click()
    await page.getByLabel('Tool name').fill('not a name')
    await page.getByLabel('Applies to').selectOption('partial_match')
    await page.getByRole('textbox', { name: 'Required arguments' }).fill('{"part": "tire"')
    await page.getByLabel('Result').fill('35 euros')
    await page.keyboard.press('ControlOrMeta+s')
    const field = (name: string) => page.locator(`[data-field="${name}"]`).getByRole('alert')
    await field('tool_mocks[0].tool_name').getByText('must be 1 to 64').waitFor()
    await field('tool_mocks[0].input_match_rule.args').getByText('must be an object').waitFor()

    await page.getByLabel('Tool name').fill('find_price')
    await page.getByRole('textbox', { name: 'Required arguments' }).fill('{"part": "tire"}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Test case saved').waitFor()
    const path = `/api/test-case-definitions/${id}?workspaceId=${scene.server.workspaceId}`
    const stored = (await scene.server.call('GET', path)).body as TestCase
    expect(stored).toMatchObject({
      name: 'Asks for the price 🚲',
      user_prompt: 'You have a flat tire.',
      metrics: ['A price is named'],
      tool_mocks: [
        {
          tool_name: 'find_price',
          input_match_rule: { type: 'partial_match', args: { part: 'tire' } },
          output: '35 euros',
          result: null,
        },
      ],
    })
    expectNoViolations(pageViolations, 400)
  })
})

/** Removes fields that only responses have. */
function writable(flow: ConversationFlow): object {
  const { nodes, start_node_id, global_prompt, default_dynamic_variables, model_choice } = flow
  return { nodes, start_node_id, global_prompt, default_dynamic_variables, model_choice }
}
