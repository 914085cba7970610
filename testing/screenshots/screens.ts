import type { Page } from 'playwright-core'
import type { SceneRecords } from '../../test/full/dashboard/scene-records.ts'

/** A page to take a picture of. */
export interface ScreenshotTarget {
  /** First part of the picture's file names. */
  readonly name: string
  readonly address: (records: SceneRecords) => string
  readonly isSignedOut?: boolean
  /** Runs after the page has loaded. */
  readonly prepare?: (page: Page) => Promise<void>
}

const TIMEOUT_MS = 15_000

export const SCREENS: readonly ScreenshotTarget[] = [
  { name: 'sign-in', address: () => '/sign-in', isSignedOut: true },
  { name: 'home', address: () => '/1' },
  { name: 'agents', address: () => '/1/agents' },
  { name: 'agent', address: ({ agentId }) => `/1/agents/${agentId}`, prepare: sendChatMessage },
  { name: 'versions', address: ({ llmId }) => `/1/llms/${llmId}/versions` },
  {
    name: 'knowledge',
    address: ({ knowledgeBaseId }) => `/1/knowledge/${knowledgeBaseId}?tab=ask`,
    prepare: askKnowledgeBase,
  },
  { name: 'number', address: ({ number }) => `/1/numbers/${encodeURIComponent(number)}` },
  { name: 'calls', address: () => '/1/calls' },
  { name: 'call', address: ({ callId }) => `/1/calls/${callId}` },
  { name: 'chats', address: () => '/1/chats' },
  { name: 'usage', address: () => '/1/usage' },
  { name: 'branding', address: () => '/1/branding' },
]

/** Chats in the test panel, which is a dialog on phones. */
async function sendChatMessage(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Test', exact: true })
  if (await button.isVisible()) await button.click()
  await page.getByRole('button', { name: 'Start chat' }).click()
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.fill('How much is a flat tire?')
  await message.press('Enter')
  await page.getByText(/\$15/).first().waitFor({ timeout: TIMEOUT_MS })
}

async function askKnowledgeBase(page: Page): Promise<void> {
  await page.locator('main').getByRole('textbox').first().fill('When are you open on Saturdays?')
  await page.keyboard.press('Enter')
  await page.locator('main mark, main li').first().waitFor({ timeout: TIMEOUT_MS })
}
