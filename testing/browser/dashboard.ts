import type { MemberRole } from '@parley/contract/access'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { acceptInvitationAs } from '../accept-invitation.ts'
import { type RunServerOptions, runServer, type ServerClient } from '../running-server.ts'
import { type ChromiumOptions, type PageViolations, startChromium, type TestBrowser } from './chromium.ts'

/** A person who can sign in. */
export interface Person {
  readonly email: string
  readonly password: string
}

export const OWNER: Person = { email: 'owner@example.com', password: 'correct-horse-battery' }

export interface OpenOptions {
  /** The person who is signed in before the page opens; null for nobody. The owner by default. */
  readonly person?: Person | null
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  readonly language?: string
}

/** A workspace of a real server, and a browser that shows its dashboard. */
export interface WorkspaceScene extends AsyncDisposable {
  readonly server: ServerClient
  readonly browser: TestBrowser
  /**
   * Opens a page in a window with its own cookies and storage. A path without a leading `/` counts from the workspace, here
   * and in `page.goto`.
   */
  open(path: string, options?: OpenOptions): Promise<OpenPage>
  /** A window that closes with the scene. */
  newContext(options: BrowserContextOptions): Promise<BrowserContext>
  /** Invites a person into the workspace, who accepts. */
  makeMember(role: MemberRole): Promise<Person>
}

/** The first workspace of a server. */
export interface DashboardScene extends WorkspaceScene {
  /** Creates a workspace on the same server, shown in the same browser or in another one. */
  createWorkspace(browser?: TestBrowser): Promise<WorkspaceScene>
}

export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly pageViolations: PageViolations
}

export interface SceneOptions extends RunServerOptions {
  /** A running browser, which the scene does not close. */
  readonly browser?: TestBrowser
  /** Settings of the browser that the scene starts otherwise. */
  readonly chromium?: ChromiumOptions
}

const HEIGHT_PX = 900
/** Longer than a busy machine needs for anything that a page does. */
const PAGE_TIMEOUT_MS = 20_000

/** Starts a server, and a browser unless one is given; both end with the scene. */
export async function startDashboard({
  chromium = {},
  browser,
  ...options
}: SceneOptions = {}): Promise<DashboardScene> {
  await using started = new AsyncDisposableStack()
  const env = { BOOTSTRAP_EMAIL: OWNER.email, BOOTSTRAP_PASSWORD: OWNER.password, ...options.env }
  const server = started.use(await runServer({ ...options, env }))
  const shown = browser ?? started.use(await startChromium(chromium))
  const first = workspaceScene(server, shown)
  started.use(first)
  const resources = started.move()
  return {
    ...first,
    async createWorkspace(otherBrowser = shown) {
      const answer = await server.call<{ id: number }>('POST', '/api/workspaces', { body: { name: 'Scene' } })
      if (answer.status !== 201) throw new Error(`No workspace: ${answer.status} ${JSON.stringify(answer.body)}`)
      return workspaceScene(inWorkspace(server, answer.body.id), otherBrowser)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function inWorkspace(server: ServerClient, workspaceId: number): ServerClient {
  const { url, dataDirectory, databaseUrl } = server
  return {
    ...{ url, dataDirectory, databaseUrl, workspaceId },
    call: (...request) => server.call(...request),
    stream: (...request) => server.stream(...request),
  }
}

function workspaceScene(server: ServerClient, browser: TestBrowser): WorkspaceScene {
  const windows: BrowserContext[] = []
  let members = 0
  const newContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await browser.newContext({ baseURL: `${server.url}/${server.workspaceId}/`, ...options })
    context.setDefaultTimeout(PAGE_TIMEOUT_MS)
    windows.push(context)
    return context
  }
  return {
    server,
    browser,
    newContext,
    async open(path, { person = OWNER, width = 1440, theme = 'light', language = 'en-GB' } = {}) {
      const viewport = { width, height: HEIGHT_PX }
      const context = await newContext({ viewport, colorScheme: theme, locale: language })
      if (person !== null) await signIn(context, server.url, person)
      const { page, pageViolations } = browser.watch(await context.newPage())
      await page.goto(path)
      return { page, context, pageViolations }
    },
    async makeMember(role) {
      members += 1
      const email = `${role}-${server.workspaceId}-${members}@example.com`
      const added = await server.call('POST', `/api/workspaces/${server.workspaceId}/members`, {
        body: { email, name: `${role} ${members}`, role },
      })
      const person = { email, password: 'staple-battery-horse' }
      await acceptInvitationAs(server, added.body as { inviteUrl: string }, person)
      return person
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(windows.map((context) => context.close()))
    },
  }
}

async function signIn(context: BrowserContext, url: string, person: Person): Promise<void> {
  const answer = await context.request.post(`${url}/api/auth/login`, { data: person, headers: { origin: url } })
  if (!answer.ok()) throw new Error(`${person.email} could not sign in: ${answer.status()}`)
}
