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
  /** User who is signed in before the page opens, or null for none. Defaults to the owner. */
  readonly person?: Person | null
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  readonly language?: string
}

/** A workspace of a real server, and a browser that displays its dashboard. */
export interface WorkspaceScene extends AsyncDisposable {
  readonly server: ServerClient
  readonly browser: TestBrowser
  /**
   * Opens a page in a window with its own cookies and storage. A path without a leading `/` is relative to the workspace, both
   * here and in `page.goto`.
   */
  open(path: string, options?: OpenOptions): Promise<OpenPage>
  /** Opens a window that closes with the scene. */
  newContext(options: BrowserContextOptions): Promise<BrowserContext>
  /** Creates a person who accepts an invitation to the workspace. */
  makeMember(role: MemberRole): Promise<Person>
}

/** The first workspace of a server. */
export interface DashboardScene extends WorkspaceScene {
  /** Creates a workspace on the same server, displayed in the same browser or in another browser. */
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
  /** Settings of the browser that the scene starts if no browser is given. */
  readonly chromium?: ChromiumOptions
}

const HEIGHT_PX = 900
/** Timeout that exceeds the duration of any page action on a busy machine. */
const PAGE_TIMEOUT_MS = 20_000

/** Starts a server, and a browser unless one is given. Both end with the scene. */
export async function startDashboard({
  chromium = {},
  browser,
  ...options
}: SceneOptions = {}): Promise<DashboardScene> {
  await using startedResources = new AsyncDisposableStack()
  const env = { BOOTSTRAP_EMAIL: OWNER.email, BOOTSTRAP_PASSWORD: OWNER.password, ...options.env }
  const server = startedResources.use(await runServer({ ...options, env }))
  const sceneBrowser = browser ?? startedResources.use(await startChromium(chromium))
  const firstScene = createWorkspaceScene(server, sceneBrowser)
  startedResources.use(firstScene)
  const resources = startedResources.move()
  return {
    ...firstScene,
    async createWorkspace(otherBrowser = sceneBrowser) {
      const response = await server.call<{ id: number }>('POST', '/api/workspaces', { body: { name: 'Scene' } })
      if (response.status !== 201) throw new Error(`No workspace: ${response.status} ${JSON.stringify(response.body)}`)
      return createWorkspaceScene(toWorkspacePath(server, response.body.id), otherBrowser)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function toWorkspacePath(server: ServerClient, workspaceId: number): ServerClient {
  const { url, dataDirectory, databaseUrl } = server
  return {
    ...{ url, dataDirectory, databaseUrl, workspaceId },
    call: (...request) => server.call(...request),
    stream: (...request) => server.stream(...request),
  }
}

function createWorkspaceScene(server: ServerClient, browser: TestBrowser): WorkspaceScene {
  const windows: BrowserContext[] = []
  let memberCount = 0
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
      memberCount += 1
      const email = `${role}-${server.workspaceId}-${memberCount}@example.com`
      const response = await server.call('POST', `/api/workspaces/${server.workspaceId}/members`, {
        body: { email, name: `${role} ${memberCount}`, role },
      })
      const person = { email, password: 'staple-battery-horse' }
      await acceptInvitationAs(server, response.body as { inviteUrl: string }, person)
      return person
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(windows.map((context) => context.close()))
    },
  }
}

async function signIn(context: BrowserContext, url: string, person: Person): Promise<void> {
  const response = await context.request.post(`${url}/api/auth/login`, { data: person, headers: { origin: url } })
  if (!response.ok()) throw new Error(`${person.email} could not sign in: ${response.status()}`)
}
