import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { OWNER, type WorkspaceScene } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import { RETELL_AGENT, seedCallsOf } from './scene-agents.ts'

interface StoredAgent {
  readonly agent_id: string
  readonly agent_name: string
  readonly version: number
  readonly language: string
  readonly volume: number
  readonly max_call_duration_ms: number
  readonly is_published: boolean
  readonly is_active: boolean
  readonly response_engine: { readonly llm_id: string; readonly version: number | null }
}

/** Reads the agent over the API. */
function storeOf({ server }: WorkspaceScene) {
  const { workspaceId } = server
  const read = async <Body>(path: string, version = 'latest'): Promise<Body> => {
    const answer = await server.call('GET', `${path}?workspaceId=${workspaceId}&version=${version}`)
    return answer.body as unknown as Body
  }
  const make = async <Body>(path: string, body: object): Promise<Body> =>
    (await server.call('POST', path, { body: { workspaceId, ...body } })).body as unknown as Body
  return {
    async makeAgent(name: string, prompt = 'Be kind.'): Promise<StoredAgent> {
      const llm = await make<{ llm_id: string }>('/api/v1/llms', { display_name: name, general_prompt: prompt })
      const [voice] = await read<readonly { voiceId: string }[]>('/api/voices')
      const engine = { type: 'llm', llm_id: llm.llm_id }
      return make('/api/agents', { agent_name: name, voice_id: voice?.voiceId, response_engine: engine })
    },
    agent: (agentId: string, version?: string) => read<StoredAgent>(`/api/agents/${agentId}`, version),
    agents: () => read<readonly StoredAgent[]>('/api/agents'),
    llms: () => read<readonly { readonly llm_id: string }[]>('/api/v1/llms'),
    prompt: async (llmId: string) => (await read<{ general_prompt: string }>(`/api/llms/${llmId}`)).general_prompt,
  }
}

/** Returns the id of the displayed agent. */
async function shownAgent(page: Page): Promise<string> {
  await page.waitForURL(/\/agents\/agent_\w+/)
  return /agent_\w+/.exec(page.url())?.[0] ?? ''
}

async function typePrompt(page: Page, text: string): Promise<void> {
  const prompt = page.getByRole('textbox', { name: 'Instructions', exact: true })
  await prompt.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** Returns a page script that measures the height of a code field and the position of its first letter. */
const placeOfText = (box: string, text: string): string => `(() => {
  const letters = document.createRange()
  letters.selectNodeContents(document.querySelector('${text}'))
  const { x, y } = letters.getClientRects()[0]
  return { height: document.querySelector('${box}').getBoundingClientRect().height, x, y }
})()`

describe.skipIf(findChromium() === null)('agents in the dashboard', () => {
  test('creates an agent from a template, edits its prompt, publishes and restores a version', async ({ scene }) => {
    const store = storeOf(scene)
    const { page, pageViolations } = await scene.open('agents')
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    await dialog.getByRole('button', { name: /Receptionist/ }).click()
    await dialog.getByLabel('Name').fill('Front desk')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const agentId = await shownAgent(page)
    await page.getByRole('heading', { name: 'Front desk', exact: true }).waitFor()
    const { response_engine: engine } = await store.agent(agentId)
    expect(await store.prompt(engine.llm_id)).toContain('You are the receptionist')

    await typePrompt(page, 'Answer in rhymes.')
    await page.getByText('Changes go live when you save', { exact: false }).waitFor()
    await page.getByRole('tab', { name: 'General' }).click()
    await page.getByLabel('Language', { exact: true }).selectOption('de-DE')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Agent saved').waitFor()
    expect(await store.prompt(engine.llm_id)).toBe('Answer in rhymes.')
    expect(await store.agent(agentId)).toMatchObject({ version: 1, language: 'de-DE' })

    await page.getByRole('button', { name: 'Publish' }).click()
    const publishing = page.getByRole('dialog', { name: 'Publish version 1?' })
    await publishing.getByLabel('Title').fill('Rhymes')
    await publishing.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Agent published').waitFor()
    expect(await store.agent(agentId)).toMatchObject({ version: 1, is_published: true })

    // Only the prompt is edited. The published version keeps the old prompt, and the draft gets the new one.
    await page.getByRole('tab', { name: 'Prompt' }).click()
    await typePrompt(page, 'Answer in haikus.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Unpublished changes', { exact: true }).waitFor()
    await page.getByText('Live: version 1', { exact: true }).waitFor()
    expect(await store.agent(agentId)).toMatchObject({ version: 2, response_engine: { version: null } })
    expect(await store.agent(agentId, 'active')).toMatchObject({ version: 1, response_engine: { version: 1 } })

    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByText('Agent settings: no changes').waitFor()
    const difference = page.getByRole('region', { name: 'Instructions', exact: true })
    await difference.getByText('Answer in rhymes.').waitFor()
    await difference.getByText('Answer in haikus.').waitFor()
    await page.getByRole('button', { name: 'Actions for version 2' }).click()
    await page.getByRole('menuitem', { name: 'Make live' }).click()
    await page.getByText('Version 2 is live').waitFor()
    expect(await store.agent(agentId, 'active')).toMatchObject({ version: 2 })
    await page.getByRole('button', { name: 'Actions for version 1' }).click()
    await page.getByRole('menuitem', { name: 'Restore…' }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Version 1 restored').waitFor()
    await expectEventually(async () => (await store.agent(agentId)).response_engine.version).toBe(1)
    expectNoViolations(pageViolations)
  })

  test.for([
    ['short', 'Be kind.'],
    ['long', 'Ask for the name.\n'.repeat(300)],
  ] as const)(
    'a %s prompt can be read before its editor has loaded, in the same place',
    async ([, prompt], { scene }) => {
      const { agent_id: agentId } = await storeOf(scene).makeAgent('Robin', prompt)
      const { page } = await scene.open('agents')
      const held = Promise.withResolvers<void>()
      await page.route(/code-area/, async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goto(`agents/${agentId}`)
      await page.locator('pre').getByText(prompt.slice(0, 8)).waitFor()
      const before = await page.evaluate(placeOfText('pre', 'pre'))
      held.resolve()
      await page.locator('.cm-line').first().waitFor()
      await expectEventually(() => page.evaluate(placeOfText('.cm-editor', '.cm-line'))).toEqual(before)
    },
  )

  test('never overwrites what two people edit at the same time', async ({ scene }) => {
    const store = storeOf(scene)
    const { agent_id: agentId } = await store.makeAgent('Robin')
    const editor = await scene.makeMember('editor')
    const mine = await scene.open(`agents/${agentId}?tab=general`)
    const theirs = await scene.open(`agents/${agentId}?tab=general`, { person: editor })
    await mine.page.getByLabel('Name', { exact: true }).fill('Robin of the owner')
    await theirs.page.getByLabel('Name', { exact: true }).fill('Robin of the editor')
    await theirs.page.getByLabel('Language', { exact: true }).selectOption('fr-FR')
    await theirs.page.getByRole('button', { name: 'Save' }).click()
    await theirs.page.getByText('Agent saved').waitFor()

    await mine.page.getByRole('button', { name: 'Save' }).click()
    const question = mine.page.getByRole('dialog', { name: 'Someone else changed this' })
    await question.getByText('Robin of the editor').waitFor()
    await question.getByText('fr-FR').waitFor()
    expect(await store.agent(agentId)).toMatchObject({ agent_name: 'Robin of the editor', language: 'fr-FR' })

    await question.getByRole('button', { name: 'Apply my edits' }).click()
    await mine.page.getByRole('button', { name: 'Save' }).click()
    await mine.page.getByText('Agent saved').waitFor()
    expect(await store.agent(agentId)).toMatchObject({ agent_name: 'Robin of the owner', language: 'fr-FR' })
    expectNoViolations(mine.pageViolations, 412)
    expectNoViolations(theirs.pageViolations)
  })

  test('keeps edits when the session expires', async ({ scene }) => {
    const store = storeOf(scene)
    const agent = await store.makeAgent('Robin')
    const { page, context, pageViolations } = await scene.open(`agents/${agent.agent_id}`)
    await typePrompt(page, 'Typed before the login ended.')
    await page.getByRole('tab', { name: 'General' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Robin, later')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByLabel('Password').fill(OWNER.password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Agent saved').waitFor()
    expect(await store.prompt(agent.response_engine.llm_id)).toBe('Typed before the login ended.')
    expect(await store.agent(agent.agent_id)).toMatchObject({ agent_name: 'Robin, later' })
    expectNoViolations(pageViolations, 401)
  })

  test('shows a server error at its field; a failed agent leaves no prompt behind', async ({ scene }) => {
    const store = storeOf(scene)
    const { agent_id: agentId } = await store.makeAgent('Robin')
    const { page, pageViolations } = await scene.open(`agents/${agentId}?tab=general`)
    await page.getByLabel('Webhook URL').fill('not an address')
    await page.getByRole('button', { name: 'Save' }).click()
    const field = page.locator('[data-field=webhook_url]')
    await field.getByRole('alert').getByText('must start with http:// or https://').waitFor()
    expect(await page.getByLabel('Webhook URL').inputValue()).toBe('not an address')
    await page.getByRole('button', { name: 'Discard' }).click()

    const before = await store.llms()
    await page.goto('agents')
    await page.getByRole('button', { name: 'New agent' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    await dialog.getByLabel('Name').fill('Ada')
    await dialog.getByLabel('Language', { exact: true }).selectOption({ label: 'Other' })
    await dialog.getByLabel('Language tag').fill('not a tag')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.locator('[data-field=language]').getByText('must be a language tag').waitFor()
    await expectEventually(async () => await store.llms()).toEqual(before)
    expect((await store.agents()).map(({ agent_name: name }) => name)).toEqual(['Robin'])
    expectNoViolations(pageViolations, 400)
  })

  test('imports an exported agent with its prompt and all settings', async ({ scene }) => {
    const store = storeOf(scene)
    const agent = await store.makeAgent('Robin')
    const { page, pageViolations } = await scene.open(`agents/${agent.agent_id}?tab=calls`)
    await page.getByLabel('Max call duration').fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Agent saved').waitFor()
    await page.getByRole('button', { name: 'Actions for Robin' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export JSON' }).click()
    const file = await (await downloading).path()

    await page.goto('agents')
    await page.getByRole('button', { name: 'New agent' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    await dialog.getByRole('tab', { name: 'Import JSON' }).click()
    const wrong = Buffer.from('{"kind":"parley.chat-agent","agent":{},"llm":null}')
    const upload = { name: 'agent.json', mimeType: 'application/json', buffer: wrong }
    await dialog.getByLabel('File').setInputFiles(upload)
    await dialog.getByText('This file contains the other kind of agent', { exact: false }).waitFor()
    await dialog.getByLabel('File').setInputFiles(file)
    await dialog.getByText('Robin will be imported with its prompt.').waitFor()
    await dialog.getByRole('button', { name: 'Create' }).click()
    const copyId = await shownAgent(page)
    const copy = await store.agent(copyId)
    expect(copy).toMatchObject({ agent_name: 'Robin', max_call_duration_ms: 1_800_000 })
    expect(copy.response_engine.llm_id).not.toBe(agent.response_engine.llm_id)
    expect(await store.prompt(copy.response_engine.llm_id)).toBe('Be kind.')
    expectNoViolations(pageViolations)
  })

  test('marks a tab with problems and opens it once', async ({ scene }) => {
    const { agent_id: agentId } = await storeOf(scene).makeAgent('Robin')
    const width = 390
    const { page, pageViolations } = await scene.open(`agents/${agentId}?tab=general`, { width })
    await page.getByLabel('Webhook URL').fill('not an address')
    await page.getByRole('tab', { name: 'Voice', exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    const refused = page.getByRole('tab', { name: 'General 1 problem', exact: true })
    await expectEventually(() => refused.getAttribute('aria-selected')).toBe('true')
    await page.locator('[data-field=webhook_url]').getByRole('alert').waitFor()
    const box = await refused.boundingBox()
    expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width)

    await page.getByRole('tab', { name: 'Voice', exact: true }).click()
    await page.getByRole('slider', { name: 'Speed' }).waitFor()
    await expectEventually(() => refused.getAttribute('aria-selected')).toBe('false')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('tab', { name: 'General', exact: true }).waitFor()
    await expectEventually(() => refused.count()).toBe(0)
    expectNoViolations(pageViolations, 400)
  })

  test('imports a Retell agent and lists unsupported settings first', async ({ scene }) => {
    const store = storeOf(scene)
    const { page, pageViolations } = await scene.open('agents')
    await page.getByRole('button', { name: 'New agent' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    await dialog.getByRole('tab', { name: 'Import JSON' }).click()
    const choose = async (content: object | string): Promise<void> => {
      const buffer = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
      await dialog.getByLabel('File').setInputFiles({ name: 'retell.json', mimeType: 'application/json', buffer })
    }
    await choose('{"agent_name": "cut of')
    await dialog.getByText('This file is not valid JSON.', { exact: false }).waitFor()
    await choose({ ...RETELL_AGENT, retellLlmData: null })
    await dialog.getByText('This file has no prompt (retellLlmData).', { exact: false }).waitFor()

    await choose({ ...RETELL_AGENT, volume: 3 })
    await dialog.getByText('Ada of Retell will be imported with its prompt.').waitFor()
    await expectEventually(() => dialog.getByRole('listitem').allTextContents()).toEqual([
      'voice_id',
      'voicemail_option',
      'retellLlmData.general_tools[1] (to_sales)',
    ])
    const before = await store.llms()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').getByText('volume: must be at most 2').waitFor()
    await expectEventually(async () => await store.llms()).toEqual(before)

    await choose(RETELL_AGENT)
    await dialog.getByRole('button', { name: 'Create' }).click()
    const made = await store.agent(await shownAgent(page))
    expect(made).toMatchObject({ agent_name: 'Ada of Retell', language: 'de-DE', max_call_duration_ms: 600_000 })
    expect(made.response_engine.llm_id).not.toBe(RETELL_AGENT.response_engine.llm_id)
    expect(await store.prompt(made.response_engine.llm_id)).toBe('Answer in one sentence.')
    expectNoViolations(pageViolations, 400)
  })

  test('lists usage of seven days; `d` duplicates the focused agent', async ({ scene }) => {
    const store = storeOf(scene)
    const robin = await store.makeAgent('Robin')
    await store.makeAgent('Ada')
    await seedCallsOf(scene, robin.agent_id)
    const { page, pageViolations } = await scene.open('agents')
    const cells = (name: string) => page.getByRole('row', { name }).getByRole('cell')
    await expectEventually(async () => (await cells('Robin').allTextContents()).slice(2, 6)).toEqual([
      'Prompt',
      '2',
      '780 ms',
      '50%',
    ])
    expect((await cells('Ada').allTextContents()).slice(2, 6)).toEqual(['Prompt', '–', '–', '–'])

    await page.keyboard.press('d')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('d')
    await page.getByRole('link', { name: 'Robin (copy)' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Duplicate row').waitFor()
    await page.keyboard.press('Escape')
    expect((await store.agents()).map(({ agent_name: name }) => name)).toEqual(['Robin (copy)', 'Ada', 'Robin'])

    await page.getByRole('link', { name: 'Robin', exact: true }).click()
    const estimate = page.getByRole('region', { name: 'Estimate' })
    await estimate.getByText('About 2 tokens').waitFor()
    await expectEventually(async () => await estimate.getByRole('definition').allTextContents()).toEqual([
      'About 2 tokens',
      '$0.0712',
      '780 ms',
      '1.1 s',
    ])
    await estimate.getByText('Based on 3 calls and 0 chats from the last 30 days', { exact: false }).waitFor()
    await page.goto('agents')
    await page.getByRole('link', { name: 'Ada' }).click()
    await estimate.getByText('Cost and response time appear after the first conversations.').waitFor()
    expectNoViolations(pageViolations)
  })

  test('lets a viewer see an agent without changing it', async ({ scene }) => {
    const { agent_id: agentId } = await storeOf(scene).makeAgent('Robin')
    const viewer = await scene.makeMember('viewer')
    const { page, pageViolations } = await scene.open('agents', { person: viewer })
    await page.getByRole('link', { name: 'Robin' }).click()
    await page.getByRole('heading', { name: 'Robin', exact: true }).waitFor()
    await page.getByRole('tab', { name: 'General' }).click()
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Actions for Robin' }).click()
    await expectEventually(() => page.getByRole('menuitem').allTextContents()).toEqual(['Export JSON'])
    await page.goto(`agents/${agentId}/versions`)
    await page.getByText('No other versions').waitFor()
    await page.goto('agents')
    await page.getByRole('link', { name: 'Robin' }).waitFor()
    expect(await page.getByRole('button', { name: 'New agent' }).count()).toBe(0)
    expectNoViolations(pageViolations)
  })
})
