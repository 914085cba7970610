import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../scripts/service-programs.cjs'

export interface ChromiumOptions {
  /** A WAV file that the microphone hears once from the moment it is opened; without one it hears beeps. */
  readonly microphone?: Buffer
  /** Whether pages get the microphone without a prompt; `denied` acts like a refusal. */
  readonly permission?: 'granted' | 'denied'
  /**
   * Whether the browser cleans the sound of the microphone up, as pages ask it to. Its control of loudness and removal of noise
   * change the form of sound, so that what arrives can be compared with what was spoken only without.
   */
  readonly cleanUp?: boolean
  readonly context?: BrowserContextOptions
}

/** What a browser did that a page of ours must not. */
export interface PageViolations {
  /** Requests to other hosts than 127.0.0.1. */
  readonly foreignRequests: string[]
  /** Errors and broken policies that the page wrote. */
  readonly errors: string[]
}

/** A browser with a made-up microphone that reaches this machine only. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
  /** Opens a page and records its violations. */
  open(address: string): Promise<WatchedPage>
  /** A window with its own cookies and storage. */
  newContext(options: BrowserContextOptions): Promise<BrowserContext>
  /** Records further violations of a page. */
  watch(page: Page): WatchedPage
}

export interface WatchedPage {
  readonly page: Page
  readonly pageViolations: PageViolations
}

const WITHOUT_CLEAN_UP = `(() => {
  const plain = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices)
  if (!plain) return
  navigator.mediaDevices.getUserMedia = ({ audio }) =>
    plain({ audio: { ...audio, echoCancellation: false, noiseSuppression: false, autoGainControl: false } })
})()`

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  '--use-fake-device-for-media-stream',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

/** Starts the Chromium of this machine; tests are skipped where `findChromium` has none. */
export async function startChromium({
  microphone,
  permission = 'granted',
  cleanUp = true,
  context: contextOptions,
}: ChromiumOptions = {}): Promise<TestBrowser> {
  const program = findChromium()
  if (program === null) throw new Error('No Chromium was found.')
  const folder = await mkdtemp(join(tmpdir(), 'parley-browser-'))
  const microphoneFile = join(folder, 'microphone.wav')
  if (microphone) await writeFile(microphoneFile, microphone)
  const browser: Browser = await chromium.launch({
    executablePath: program.file,
    headless: true,
    args: [
      ...FLAGS,
      ...(permission === 'granted' ? ['--use-fake-ui-for-media-stream'] : []),
      ...(microphone ? [`--use-file-for-fake-audio-capture=${microphoneFile}%noloop`] : []),
    ],
  })
  const context = await browser.newContext(contextOptions)
  if (!cleanUp) await context.addInitScript(WITHOUT_CLEAN_UP)
  return {
    context,
    async open(address) {
      const watched = watch(await context.newPage())
      await watched.page.goto(address)
      return watched
    },
    newContext: (options) => browser.newContext(options),
    watch,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const OWN_PROTOCOLS: ReadonlySet<string> = new Set(['data:', 'blob:'])

function watch(page: Page): WatchedPage {
  const pageViolations: PageViolations = { foreignRequests: [], errors: [] }
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (!OWN_PROTOCOLS.has(protocol) && hostname !== '127.0.0.1') pageViolations.foreignRequests.push(request.url())
  })
  page.on('pageerror', (error) => pageViolations.errors.push(error.message))
  page.on('console', (line) => {
    if (line.type() === 'error') pageViolations.errors.push(line.text())
  })
  return { page, pageViolations }
}
