import type { Llm } from '@parley/contract/llm'
import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import type { WorkspaceScene } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { startToolServer } from '../../../testing/tool-server/tool-server.ts'

async function makeLlm({ server }: WorkspaceScene, fields: object): Promise<string> {
  const { workspaceId } = server
  const body = { workspaceId, display_name: 'Bakery', general_prompt: 'Be kind.', ...fields }
  return (await server.call<Llm>('POST', '/api/v1/llms', { body })).body.llm_id
}

async function readLlm({ server }: WorkspaceScene, llmId: string): Promise<Llm> {
  const query = { workspaceId: server.workspaceId }
  return (await server.call<Llm>('GET', `/api/llms/${llmId}`, { query })).body
}

/** Enters text into an editor without automatic closing brackets. */
async function type(page: Page, editor: Locator, text: string): Promise<void> {
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

const save = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Prompt saved').first().waitFor()
}

describe.skipIf(findChromium() === null)('prompts', () => {
  test('are created; unknown variables are marked and an HTTP tool is tested', async ({ scene }) => {
    await using tools = await startToolServer()
    const { page, pageViolations } = await scene.open('llms')
    await page.getByRole('link', { name: 'Prompts' }).waitFor()
    await page.getByRole('heading', { name: 'No prompts yet' }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('textbox', { name: 'Name' }).fill('Bakery')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bakery' }).waitFor()
    const llmId = page.url().split('/').at(-1) ?? ''

    await type(
      page,
      page.getByRole('textbox', { name: 'Instructions', exact: true }),
      'It is {{current_time}}, {{guest}}.',
    )
    await expectEventually(() => page.locator('.cm-lintRange-warning').allTextContents()).toEqual(['{{guest}}'])
    const unknown = page.getByRole('region', { name: 'Variables without a value' })
    expect(await unknown.textContent()).toContain('This variable has no value')
    await unknown.getByRole('button', { name: 'Set a default for guest' }).click()
    await page.getByLabel('Default variables: value 1').fill('dear guest')
    await unknown.waitFor({ state: 'detached' })
    await expectEventually(() => page.locator('.cm-lintRange-warning').count()).toBe(0)

    await page.getByRole('tab', { name: 'Tools' }).click()
    await page.getByRole('button', { name: 'Add tool' }).click()
    await page.getByRole('menuitem', { name: 'HTTP endpoint' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('look_up')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${tools.url}/orders/{{guest}}`)
    const schema = dialog.getByRole('textbox', { name: 'Parameters (JSON Schema)' })
    await type(page, schema, '{"type": "object",\n "properties": {"city": {"type": "string"},}}')
    await dialog.getByText('Line 2, column 44: Expected a name in double quotes.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await type(page, schema, '{"type": "object", "properties": {"city": {"type": "string"}}}')

    await dialog.getByRole('tab', { name: 'Test' }).click()
    const given = dialog.getByRole('textbox', { name: 'Arguments' })
    await expectEventually(async () => (await given.textContent())?.replaceAll(/\s/g, '')).toBe('{"city":"text"}')
    await type(page, given, '{"city": "Bern"}')
    await page.keyboard.press('ControlOrMeta+Enter')
    const result = dialog.getByRole('region', { name: 'Output for the model' })
    await expectEventually(() => result.textContent()).toBe('{"ok":true}')
    const [sent] = tools.requests
    expect([sent?.method, sent?.path]).toEqual(['POST', '/orders/dear%20guest'])
    expect(JSON.parse(sent?.rawBody.toString() ?? '')).toMatchObject({ name: 'look_up', args: { city: 'Bern' } })

    await dialog.getByRole('button', { name: 'Apply' }).click()
    await save(page)
    expect(await readLlm(scene, llmId)).toMatchObject({
      general_prompt: 'It is {{current_time}}, {{guest}}.',
      default_dynamic_variables: { guest: 'dear guest' },
      general_tools: [
        {
          type: 'custom',
          name: 'look_up',
          url: `${tools.url}/orders/{{guest}}`,
          method: 'POST',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ],
    })
    expectNoViolations(pageViolations)
  })

  test('show any tool result as text', async ({ scene }) => {
    await using tools = await startToolServer()
    const hostile = '<script>document.title = "taken"</script><img src="/x" onerror="document.title = \'taken\'">'
    tools.script({ kind: 'raw', body: hostile, contentType: 'text/plain' })
    const llmId = await makeLlm(scene, { general_tools: [{ type: 'custom', name: 'fetch_it', url: tools.url }] })
    const { page, pageViolations } = await scene.open(`llms/${llmId}?tab=tools`)
    await page.getByRole('button', { name: 'Edit fetch_it' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('tab', { name: 'Test' }).click()
    await dialog.getByRole('button', { name: 'Run' }).click()
    const result = dialog.getByRole('region', { name: 'Output for the model' })
    await expectEventually(() => result.textContent()).toBe(hostile)
    expect(await dialog.locator('script, img').count()).toBe(0)
    expect(await page.title()).toBe('Bakery · Parley')
    expectNoViolations(pageViolations)
  })

  test('keep typed tool JSON and show server errors at their fields', async ({ scene }) => {
    const tool = { type: 'end_call', name: 'bye', description: 'Ends it.' }
    const llmId = await makeLlm(scene, { general_tools: [tool] })
    const { page, pageViolations } = await scene.open(`llms/${llmId}?tab=tools`)
    await page.getByRole('button', { name: 'Edit bye' }).click()
    const dialog = page.getByRole('dialog')
    const openTab = (name: string) => dialog.getByRole('tab', { name }).click()
    await openTab('JSON')
    const editor = dialog.getByRole('textbox', { name: 'Tool as JSON' })
    const broken = '{"type": "end_call", "name": "good bye", "x_mine": }'
    await type(page, editor, broken)
    await dialog.getByText('Line 1, column 52: Expected a value').waitFor()
    await expectEventually(() => dialog.locator('.cm-lintRange-error').textContent()).toBe('}')
    await openTab('Form')
    await dialog.getByText('The form cannot display invalid JSON.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Back to JSON' }).click()
    await expectEventually(() => editor.textContent()).toBe(broken)
    await type(page, editor, '{"type": "end_call", "name": "good bye", "x_mine": 1}')
    await openTab('Form')
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Says goodbye.')
    await openTab('JSON')
    await expectEventually(async () => JSON.parse((await editor.textContent()) ?? '')).toEqual({
      type: 'end_call',
      name: 'good bye',
      x_mine: 1,
      description: 'Says goodbye.',
    })
    await dialog.getByRole('button', { name: 'Apply' }).click()

    await page.keyboard.press('ControlOrMeta+s')
    const refusal = 'must be 1 to 64 letters, digits, "_" or "-"'
    await page.getByRole('listitem').filter({ hasText: 'good bye' }).getByText(refusal).waitFor()
    await page.getByRole('button', { name: 'Edit good bye' }).click()
    await dialog.locator('[data-field="general_tools[0].name"]').getByText(refusal, { exact: true }).waitFor()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('good_bye')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await save(page)
    expect((await readLlm(scene, llmId)).general_tools).toEqual([
      { type: 'end_call', name: 'good_bye', description: 'Says goodbye.' },
    ])
    expectNoViolations(pageViolations, 400)
  })

  test('choose a model by price and provider', async ({ scene }) => {
    const llmId = await makeLlm(scene, {})
    const { page, pageViolations } = await scene.open(`llms/${llmId}`)
    await page.getByRole('tab', { name: 'Model' }).click()
    await page.getByRole('button', { name: 'Model', exact: true }).click()
    const models = page.getByRole('dialog', { name: 'Choose a model' })
    await models.getByText('Anthropic (no API key)').waitFor()
    await expectEventually(() => models.getByRole('option').first().textContent()).toBe('Server defaultoffline')
    await models.getByRole('combobox').fill('openai 4.1-mini')
    await expectEventually(() => models.getByRole('option').allTextContents()).toEqual([
      'openai/gpt-4.1-mini$0.40 in, $1.60 out',
      'Use “openai 4.1-mini”',
    ])
    await models.getByRole('option').first().click()
    await save(page)
    expect((await readLlm(scene, llmId)).model).toBe('openai/gpt-4.1-mini')
    expectNoViolations(pageViolations)
  })

  test('in use are not deleted, and the dialog names the agent', async ({ scene }) => {
    const { server } = scene
    const llmId = await makeLlm(scene, {})
    const agent = await server.call<{ agent_id: string }>('POST', '/api/chat-agents', {
      body: {
        workspaceId: server.workspaceId,
        agent_name: 'Mia <b>',
        response_engine: { type: 'llm', llm_id: llmId },
      },
    })
    const { page, pageViolations } = await scene.open('llms')
    await page.getByRole('button', { name: 'Actions for Bakery' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Bakery')
    await dialog.getByRole('button', { name: 'Delete prompt' }).click()
    const refusal = dialog.getByRole('alert')
    await refusal.getByText('The prompt was not deleted because it is in use.', { exact: false }).waitFor()
    const user = refusal.getByRole('link', { name: 'Mia <b>' })
    expect(await user.getAttribute('href')).toBe(`/${server.workspaceId}/chat-agents/${agent.body.agent_id}`)
    expect((await readLlm(scene, llmId)).display_name).toBe('Bakery')
    expectNoViolations(pageViolations, 422)
  })

  test('are read-only for viewers', async ({ scene }) => {
    const states = [{ name: 'hello', state_prompt: 'Say hello.' }]
    const llmId = await makeLlm(scene, { general_tools: [{ type: 'end_call', name: 'bye' }], states })
    const person = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open(`llms/${llmId}`, { person })
    const prompt = page.getByRole('textbox', { name: 'Instructions', exact: true })
    await type(page, prompt, 'Be rude.')
    expect(await prompt.textContent()).toBe('Be kind.')
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('tab', { name: 'States' }).click()
    await page.locator('summary').getByText('hello').waitFor()
    expect(await page.getByRole('button', { name: 'Add state' }).count()).toBe(0)
    await page.getByRole('tab', { name: 'Tools' }).click()
    await page.getByRole('button', { name: 'Edit bye' }).waitFor()
    const actions = page.getByRole('button', { name: /^(Save|Add tool|Add MCP server|Publish|More actions)/ })
    expect(await actions.count()).toBe(0)
    expectNoViolations(pageViolations)
  })
})
