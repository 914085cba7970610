import type { MemberRole } from '@parley/contract/access'
import type { BrowserContext, Page } from 'playwright-core'
import { acceptInvitationAs } from '../accept-invitation.ts'
import { type RunningServer, type RunServerOptions, runServer } from '../running-server.ts'
import { type ChromiumOptions, type PageViolations, startChromium, type TestBrowser } from './chromium.ts'

/** Somebody who can sign in. */
export interface Person {
  readonly email: string
  readonly password: string
}

export const OWNER: Person = { email: 'owner@example.com', password: 'correct-horse-battery' }

export interface OpenOptions {
  /** Who is signed in before the page is opened; null for nobody. The owner by default. */
  readonly person?: Person | null
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  readonly language?: string
}

/** The real server and a browser beside it. */
export interface DashboardScene extends AsyncDisposable {
  readonly server: RunningServer
  readonly browser: TestBrowser
  /** Opens a page in a window of its own: other cookies and storage than every other. `path` begins with `/`; `/1` becomes the first workspace. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>
  /** Makes a member of the first workspace. */
  makeMember(role: MemberRole): Promise<Person>
}

export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly pageViolations: PageViolations
}

export interface SceneOptions extends RunServerOptions {
  readonly chromium?: ChromiumOptions
}

const HEIGHT_PX = 900

/** Starts both; everything ends with the scene. */
export async function startDashboard({ chromium = {}, ...options }: SceneOptions = {}): Promise<DashboardScene> {
  const env = { BOOTSTRAP_EMAIL: OWNER.email, BOOTSTRAP_PASSWORD: OWNER.password, ...options.env }
  const server = await runServer({ ...options, env })
  const browser = await startChromium(chromium)
  let members = 0
  return {
    server,
    browser,
    async open(path, { person = OWNER, width = 1440, theme = 'light', language = 'en-GB' } = {}) {
      const viewport = { width, height: HEIGHT_PX }
      const context = await browser.newContext({ viewport, colorScheme: theme, locale: language, baseURL: server.url })
      if (person !== null) await signIn(context, server.url, person)
      const { page, pageViolations } = browser.watch(await context.newPage())
      await page.goto(path)
      return { page, context, pageViolations }
    },
    async makeMember(role) {
      members += 1
      const email = `${role}-${members}@example.com`
      const added = await server.call('POST', `/api/workspaces/${server.workspaceId}/members`, {
        body: { email, name: `${role} ${members}`, role },
      })
      const person = { email, password: 'staple-battery-horse' }
      await acceptInvitationAs(server, added.body as { inviteUrl: string }, person)
      return person
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function signIn(context: BrowserContext, url: string, person: Person): Promise<void> {
  const answer = await context.request.post(`${url}/api/auth/login`, { data: person, headers: { origin: url } })
  if (!answer.ok()) throw new Error(`${person.email} could not sign in: ${answer.status()}`)
}
