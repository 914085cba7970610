import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { OWNER, type Person } from '../../../testing/browser/dashboard.ts'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import { execute, withDatabase } from '../../../testing/server-database.ts'
import { expectBody } from '../../../testing/server-test.ts'
import { startWebhookReceiver } from '../../../testing/webhook-receiver/webhook-receiver.ts'

/** Starts collecting the response bodies of a page. */
function recordAnswers(page: Page): { all(): Promise<string> } {
  const bodies: Promise<string>[] = []
  page.on('response', (response) => {
    // Responses without a body, such as 204, have no text.
    bodies.push(response.text().catch(() => ''))
  })
  return { all: async () => (await Promise.all(bodies)).join('\n') }
}

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel(/e-?mail/i).fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Expires all password confirmations. */
async function forgetConfirmations(server: ServerClient): Promise<void> {
  await withDatabase(server, (database) => execute(database, sql`UPDATE sessions SET confirmed_at = 0`))
}

async function startChat({ workspaceId, call }: Pick<ServerClient, 'workspaceId' | 'call'>): Promise<string> {
  const llm = await call<{ llm_id: string }>('POST', '/api/v1/llms', {
    body: { workspaceId, general_prompt: 'Be kind.' },
  })
  const agent = await call<{ agent_id: string }>('POST', '/api/chat-agents', {
    body: { workspaceId, agent_name: 'Mia', response_engine: { type: 'llm', llm_id: llm.body.llm_id } },
  })
  const chat = await call<{ chatId: string }>('POST', '/api/chats', {
    body: { workspaceId, agentId: agent.body.agent_id },
  })
  return chat.body.chatId
}

describe.skipIf(findChromium() === null)('the account screens', () => {
  test('a token is shown once, works, and is refused once revoked', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly export')
    expect(await page.getByLabel('Expires').inputValue()).toBe('90')
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
    await page.getByRole('checkbox', { name: /^admin/ }).check()
    await forgetConfirmations(scene.server)
    await page.getByRole('button', { name: 'Create token' }).click()
    const question = page.getByRole('dialog', { name: 'Confirm your password' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Nightly export')
    await page.getByRole('button', { name: 'Create token' }).click()
    await question.getByLabel('Password').fill('not this one')
    await question.getByRole('button', { name: 'Confirm' }).click()
    await question.locator('[data-field=password]').getByText('is not your password', { exact: true }).waitFor()
    await question.getByLabel('Password').fill(OWNER.password)
    await question.getByRole('button', { name: 'Confirm' }).click()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(token).toMatch(/^sk_/)
    await page.getByText(`curl -H "Authorization: Bearer ${token}" ${scene.server.url}/api/workspaces`).waitFor()
    const ask = async (): Promise<number> =>
      (await fetch(`${scene.server.url}/api/workspaces`, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await ask()).toBe(200)

    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'read calls admin' }).waitFor()
    expect(await page.content()).not.toContain(token)
    const answers = recordAnswers(page)
    await page.reload()
    await page.getByRole('cell', { name: 'Nightly export', exact: true }).waitFor()
    expect(await page.content()).not.toContain(token)
    expect(await answers.all()).not.toContain(token)

    await page.getByRole('button', { name: 'Revoke Nightly export' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('Token revoked').waitFor()
    await expectEventually(ask).toBe(401)
    await page.getByRole('cell', { name: 'Nightly export', exact: true }).waitFor({ state: 'detached' })
    expectNoViolations(pageViolations, 400, 403)
  })

  test('a provider key is stored and never shown again; an invalid one is reported at its field', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('provider-keys')
    const answers = recordAnswers(page)
    const key = 'sk-ant-secret-of-a-customer-98765'
    await page.getByRole('button', { name: 'Add key' }).first().click()
    await page.getByLabel('Service').selectOption('anthropic')
    await page.getByLabel('API key', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Save key' }).click()
    await page
      .locator('[data-field=apiKey]')
      .getByText('must be 8 to 500 visible ASCII characters', { exact: true })
      .waitFor()

    await page.getByLabel('API key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByRole('cell', { name: '…8765' }).waitFor()
    await page.reload()
    await page.getByRole('cell', { name: 'Anthropic', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Replace Anthropic key…' }).click()
    expect(
      await page
        .getByRole('dialog')
        .getByLabel(/^API key/)
        .inputValue(),
    ).toBe('')
    expect(await page.content()).not.toContain(key)
    expect(await answers.all()).not.toContain(key)
    expect((await scene.server.call('GET', '/api/provider-keys')).body).toMatchObject([
      { service: 'anthropic', lastFour: '8765', workspaceId: scene.server.workspaceId },
    ])
    // The browser logs the rejected short key.
    expectNoViolations(pageViolations, 400)
  })

  test('an invited viewer accepts through the link and has only viewer rights', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('team')
    // The team list contains the owner, who is not a member.
    await page.getByRole('row').filter({ hasText: OWNER.email }).getByText('Platform administrator').waitFor()
    await page.getByRole('button', { name: 'Invite' }).first().click()
    await page.getByLabel('Email address').fill('vera@example.com')
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(link)
    await page.getByRole('cell', { name: 'Invited' }).waitFor()

    const viewer = await scene.open(link.slice(scene.server.url.length), { person: null })
    await viewer.page.getByRole('button', { name: 'Choose a password' }).click()
    await viewer.page.getByLabel('New password').fill('vera-has-a-password')
    await viewer.page.getByRole('button', { name: 'Set password' }).click()
    await viewer.page.getByText('Password set. Sign in to accept the invitation.').waitFor()
    await signIn(viewer.page, { email: 'vera@example.com', password: 'vera-has-a-password' })
    await viewer.page.getByText('You are signed in as vera@example.com.').waitFor()
    await viewer.page.getByRole('button', { name: 'Accept invitation' }).click()
    const menu = viewer.page.getByRole('navigation', { name: 'Main menu' })
    await menu.getByRole('link', { name: 'API tokens' }).click()
    await viewer.page.getByRole('heading', { name: 'No tokens yet' }).waitFor()
    expect(await viewer.page.getByLabel('Owner', { exact: true }).count()).toBe(0)
    for (const name of ['Team', 'Webhooks', 'Provider keys', 'Secrets', 'Workspaces', 'Branding', 'Audit log']) {
      expect(await menu.getByRole('link', { name }).count()).toBe(0)
    }
    for (const path of [
      'team',
      'webhooks',
      'webhooks/deliveries',
      'provider-keys',
      'secrets',
      'workspaces',
      'branding',
      'audit-log',
    ]) {
      await viewer.page.goto(path)
      await viewer.page.getByText('You don’t have permission for this.').waitFor()
      expect(await viewer.page.getByRole('main').getByRole('button').count()).toBe(0)
    }
    await viewer.page.goto('profile')
    await viewer.page.getByText('vera@example.com').first().waitFor()
    await viewer.page.getByText('Chrome on Linux').waitFor()
    expectNoViolations(pageViolations)
    // The browser logs the first request, which has no session.
    expectNoViolations(viewer.pageViolations, 401)
  })

  test('only the invited person can accept, and only with the newest link', async ({ scene }) => {
    const { server } = scene
    const known = await scene.makeMember('editor')
    const other = await expectBody<{ id: number }>(
      201,
      server.call('POST', '/api/workspaces', { body: { name: 'Other' } }),
    )
    const owner = await scene.open(`/${other.id}/team`)
    const team = owner.page
    await team.getByRole('button', { name: 'Invite' }).first().click()
    await team.getByLabel('Email address').fill(known.email)
    await team.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    const first = await team.getByLabel('Link', { exact: true }).inputValue()
    await team.getByRole('button', { name: 'Done' }).click()
    await team.getByRole('button', { name: `Actions for ${known.email}` }).click()
    await team.getByRole('menuitem', { name: 'New invitation link…' }).click()
    await team.getByRole('button', { name: 'Create link' }).click()
    const second = await team.getByLabel('Link', { exact: true }).inputValue()
    await team.getByRole('button', { name: 'Done' }).click()

    // The owner opens someone else's link.
    await team.goto(second.slice(server.url.length))
    await team.getByText(`You are signed in as ${OWNER.email}.`).waitFor()
    await team.getByRole('button', { name: 'Accept invitation' }).click()
    await team.getByText('This invitation is for someone else.').waitFor()
    expect(await team.getByText(known.email).count()).toBe(0)
    await team.getByRole('button', { name: 'Sign out and use another account' }).click()
    await team.getByRole('button', { name: 'Choose a password' }).click()
    await team.getByLabel('New password').fill('somebody-elses-password')
    await team.getByRole('button', { name: 'Set password' }).click()
    await team.getByText('This link is invalid or has expired.').waitFor()
    await team.getByRole('button', { name: 'Back' }).click()
    await team.getByRole('button', { name: 'Sign in' }).click()
    await signIn(team, known)
    await team.getByRole('button', { name: 'Accept invitation' }).click()
    await team.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(new URL(team.url()).pathname).toBe(`/${other.id}`)

    const late = await scene.open(first.slice(server.url.length), { person: known, language: 'de-DE' })
    await late.page.getByRole('button', { name: 'Einladung annehmen' }).click()
    await late.page.getByText('Diese Einladung wurde angenommen, widerrufen oder ist abgelaufen.').waitFor()
    expect(owner.pageViolations.foreignRequests).toEqual([])
  })

  test('a webhook receives a chat event, and the same event again on resend', async ({ scene }) => {
    await using receiver = await startWebhookReceiver()
    const { server } = scene
    const { page, pageViolations } = await scene.open('webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('URL', { exact: true }).fill(receiver.url)
    await page.getByRole('checkbox', { name: /^transcript_updated/ }).check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('button', { name: receiver.url, exact: true }).waitFor()
    const chatId = await startChat({ workspaceId: server.workspaceId, call: server.call.bind(server) })
    await expectEventually(() => receiver.received.length).toBe(1)

    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('button', { name: 'chat_started' }).click()
    const dialog = page.getByRole('dialog', { name: 'Webhook delivery' })
    await dialog.getByRole('link', { name: chatId }).waitFor()
    await dialog.getByText('HTTP 200').waitFor()
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await dialog.getByText('Attempt 2').waitFor()
    await expectEventually(() => receiver.received.map(({ id }) => id)).toEqual([
      receiver.received[0]?.id,
      receiver.received[0]?.id,
    ])

    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByLabel('Status').selectOption('failed')
    await page.getByRole('heading', { name: 'No matching deliveries' }).waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'chat_started' }).waitFor()
    expectNoViolations(pageViolations)
  })

  test('a session that expires in a dialog loses no input', async ({ scene }) => {
    const { page, context, pageViolations } = await scene.open('webhooks')
    const signInAgain = async (): Promise<void> => {
      const again = page.getByRole('dialog', { name: 'Sign in again' })
      await again.getByLabel('Password').fill(OWNER.password)
      // Neither Escape nor a click outside the confirmation closes the dialog behind it.
      await page.keyboard.press('Escape')
      await page.mouse.click(5, 5)
      await again.getByRole('button', { name: 'Sign in' }).click()
      await again.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/hooks')
    await page.getByLabel('Description').fill('Typed before the login ended')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await signInAgain()
    await page.getByRole('button', { name: 'https://example.com/hooks', exact: true }).click()

    const edited = page.getByRole('dialog', { name: 'Edit webhook' })
    await edited.getByLabel('Description').fill('Changed before the login ended')
    await context.clearCookies()
    await edited.getByRole('button', { name: 'Save' }).click()
    await signInAgain()
    await edited.waitFor({ state: 'detached' })
    const stored = await scene.server.call('GET', '/api/webhooks', { query: { workspaceId: scene.server.workspaceId } })
    expect(stored.body).toMatchObject([
      { url: 'https://example.com/hooks', description: 'Changed before the login ended' },
    ])
    // The browser logs the requests without a session.
    expectNoViolations(pageViolations, 401)
  })

  test('a wrong password is reported in the language of the page', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('/sign-in', { person: null, language: 'de-DE' })
    await page.getByLabel('E-Mail').fill(OWNER.email)
    await page.getByLabel('Passwort').fill('not-the-password')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('alert').getByText('E-Mail oder Passwort ist falsch.').waitFor()
    expect(await page.getByLabel('E-Mail').inputValue()).toBe(OWNER.email)
    expectNoViolations(pageViolations, 401)
  })

  test('a login continues after a retry of a failed request', async ({ scene }) => {
    const { page } = await scene.open('/sign-in', { person: null })
    await page.route('**/api/workspaces', (route) => route.abort())
    await page.getByLabel(/e-?mail/i).fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The server is unreachable.').waitFor()
    await page.unroute('**/api/workspaces')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })

  test('a language that fails to load is reported, and the page stays unchanged', async ({ scene }) => {
    const { page } = await scene.open('profile')
    await page.route(/german/, (route) => route.abort())
    await page.getByLabel('Language').selectOption('de')
    await page.getByText('The language failed to load. Check your connection and reload the page.').waitFor()
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    expect(await page.getByLabel('Language').inputValue()).toBe('en')
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
  })
})
