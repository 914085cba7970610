import { describe } from 'vitest'
import { findChromium } from '../../../scripts/service-programs.cjs'
import { expectNoViolations, test } from '../../../testing/browser/dashboard-test.ts'
import { expectEventually } from '../../../testing/browser/eventually.ts'

describe.skipIf(findChromium() === null)('a first visit', () => {
  test('leads from login to an agent, a chat, a call and its recording', async ({ scene }) => {
    const { page, pageViolations } = await scene.open('/', { person: null })

    // Without a session, the sign-in page opens. A wrong password displays an error.
    await page.getByLabel('Email address').fill('owner@example.com')
    await page.getByLabel('Password').fill('not this one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill('correct-horse-battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()

    // Create an agent from a template.
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('button', { name: 'New agent' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Wheelworks')
    await page
      .getByLabel('Instructions')
      .fill('You answer for the bicycle workshop Wheelworks. A flat tire costs 15 euros.')
    await page.getByRole('dialog').getByRole('button', { name: 'Create agent', exact: true }).click()
    await page.getByRole('heading', { name: 'Wheelworks', level: 1 }).waitFor()

    // Chat in the test panel.
    const panel = page.getByRole('region', { name: 'Test' })
    await panel.getByRole('tab', { name: 'Chat' }).click()
    await panel.getByRole('button', { name: 'Start chat' }).click()
    await panel.getByRole('textbox', { name: 'Message' }).fill('What do you charge for a flat tire?')
    await panel.getByRole('button', { name: 'Send' }).click()
    await panel.getByText('15 euros').first().waitFor()

    // Call with a microphone that hears beeps. Typed messages get spoken replies.
    await panel.getByRole('tab', { name: 'Call', exact: true }).click()
    await panel.getByRole('button', { name: 'Start call' }).click()
    await panel.getByRole('textbox', { name: 'Message' }).fill('What do you charge for a flat tire?')
    await panel.getByRole('button', { name: 'Send' }).click()
    await panel.getByText('15 euros').first().waitFor()
    await panel.getByRole('button', { name: 'End', exact: true }).click()
    await panel.getByRole('link', { name: 'Open call' }).click()

    // The call page displays the transcript and recording.
    await page.getByText('What do you charge for a flat tire?').first().waitFor()
    const audio = page.locator('audio')
    await audio.waitFor()
    await audio.evaluate((element: { play(): Promise<void> }) => element.play())
    await expectEventually(() =>
      audio.evaluate((element: { currentTime: number }) => element.currentTime),
    ).toBeGreaterThan(0.2)

    expectNoViolations(pageViolations, 401)
  })
})
