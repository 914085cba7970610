import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../scripts/service-programs.cjs'

export interface ChromiumOptions {
  /** WAV file that the microphone plays once when it is opened. Without a file, the microphone plays beeps. */
  readonly microphone?: Buffer
  /** Whether pages get the microphone without a prompt. `denied` simulates a denied permission. */
  readonly permission?: 'granted' | 'denied'
  /**
   * Whether the browser processes microphone audio as pages request. Gain control and noise suppression change the waveform, so
   * received audio can be compared with spoken audio only without processing.
   */
  readonly cleanUp?: boolean
  readonly context?: BrowserContextOptions
}

/** Browser activity that a product page must not cause. */
export interface PageViolations {
  /** Requests to hosts other than 127.0.0.1. */
  readonly foreignRequests: string[]
  /** Errors and policy violations that the page logged. */
  readonly errors: string[]
}

/** A browser with a simulated microphone that can access only the local machine. */
export interface TestBrowser extends AsyncDisposable {
  readonly context: BrowserContext
  /** Opens a page and records its violations. */
  open(address: string): Promise<WatchedPage>
  /** Opens a window with its own cookies and storage. */
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

/** Starts the machine's Chromium. Tests are skipped if `findChromium` finds none. */
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
