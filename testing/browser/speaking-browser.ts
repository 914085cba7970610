import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { findChromium, findFirefox, findPulseAudio } from '../../scripts/service-programs.cjs'
import { type Recording, writeWav } from '../speech-server/wav-audio.ts'
import { startSilentSpeaker } from './silent-speaker.ts'

/** A browser whose pages get a microphone that plays recordings, and cannot recognize speech themselves. */
export interface SpeakingBrowser {
  readonly name: 'Chromium' | 'Firefox'
  readonly canStart: () => boolean
  readonly start: () => Promise<StartedBrowser>
}

interface StartedBrowser extends AsyncDisposable {
  readonly browser: Browser
}

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]
const VIEWPORT = { width: 1_280, height: 800 }

/** Both browsers that tests can speak in. Tests are skipped where `canStart` returns false. */
export const SPEAKING_BROWSERS: readonly SpeakingBrowser[] = [
  {
    name: 'Chromium',
    canStart: () => findChromium() !== null,
    async start() {
      const executablePath = findChromium()?.file
      if (executablePath === undefined) throw new Error('No Chromium was found.')
      const options = { browser: 'chrome', args: CHROMIUM_FLAGS, defaultViewport: VIEWPORT } as const
      const browser = await puppeteer.launch({ ...options, executablePath })
      return { browser, [Symbol.asyncDispose]: () => browser.close() }
    },
  },
  {
    name: 'Firefox',
    canStart: () => findFirefox() !== null && findPulseAudio() !== null,
    start: startFirefox,
  },
]

/** Starts Firefox over WebDriver BiDi, since Playwright requires its own build. Without a loudspeaker, it runs no audio at all. */
async function startFirefox(): Promise<StartedBrowser> {
  const executablePath = findFirefox()?.file
  if (executablePath === undefined) throw new Error('No Firefox was found.')
  await using stack = new AsyncDisposableStack()
  const speaker = stack.use(await startSilentSpeaker())
  const browser = await puppeteer.launch({
    browser: 'firefox',
    protocol: 'webDriverBiDi',
    executablePath,
    defaultViewport: VIEWPORT,
    env: { ...process.env, ...speaker.env },
  })
  stack.defer(() => browser.close())
  const owned = stack.move()
  return { browser, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Loudness of both sides of a call, on the page's audio clock. */
export interface LoudnessBlock {
  readonly atMs: number
  /** Peak sample of the caller, from 0 to 1. */
  readonly caller: number
  readonly agent: number
}

/** Samples of one loudness block, about 10 ms. */
const BLOCK_SAMPLES = 512

/** Page script that replaces the microphone, and measures both sides of the call. */
const SPEAKING_PAGE = `(() => {
  delete window.SpeechRecognition
  delete window.webkitSpeechRecognition
  window.caller = { blocks: [], problems: [], speak: null }

  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext()
    const destination = context.createMediaStreamDestination()
    caller.speak = async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const source = new AudioBufferSourceNode(context, { buffer: await context.decodeAudioData(bytes.buffer) })
      source.connect(destination)
      await new Promise((resolve) => {
        source.onended = resolve
        source.start()
      })
    }
    return destination.stream
  }

  const connect = AudioNode.prototype.connect
  const attachMeter = (node) => {
    const { context } = node
    node.meterInputs = context.createChannelMerger(2)
    const meter = context.createScriptProcessor(${BLOCK_SAMPLES}, 2, 1)
    meter.onaudioprocess = ({ inputBuffer, playbackTime }) => {
      const [callerPeak, agentPeak] = [0, 1].map((channel) =>
        inputBuffer.getChannelData(channel).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0))
      caller.blocks.push({ atMs: playbackTime * 1000, caller: callerPeak, agent: agentPeak })
    }
    connect.call(node.meterInputs, meter)
    connect.call(meter, context.destination)
    connect.call(node, node.meterInputs, 0, 1)
  }
  AudioNode.prototype.connect = function (target, ...settings) {
    if (this instanceof AudioWorkletNode && target === this.context.destination) attachMeter(this)
    if (this instanceof MediaStreamAudioSourceNode && target.meterInputs) connect.call(this, target.meterInputs, 0, 0)
    return connect.call(this, target, ...settings)
  }

  addEventListener('DOMContentLoaded', () => {
    const recordProblems = () => {
      for (const element of document.querySelectorAll('#warning, #notice-fix, #device-problem')) {
        const text = element.textContent.trim()
        if (text !== '' && !caller.problems.includes(text)) caller.problems.push(text)
      }
    }
    new MutationObserver(recordProblems).observe(document.body, { childList: true, characterData: true, subtree: true })
  })
})()`

/** A call page in which a recorded caller speaks. */
export interface SpeakingPage extends AsyncDisposable {
  readonly page: Page
  /** Errors that the page logged. */
  readonly errors: readonly string[]
  /** Clicks the first element of a selector. */
  click(selector: string): Promise<void>
  /** Resolves when the microphone has played the recording. */
  speak(recording: Recording): Promise<void>
  /** Problems that the page showed at any time. */
  readProblems(): Promise<readonly string[]>
  readLoudness(): Promise<readonly LoudnessBlock[]>
}

/** Starts a browser and opens the page at `address`. */
export async function openSpeakingPage({ start }: SpeakingBrowser, address: string): Promise<SpeakingPage> {
  await using stack = new AsyncDisposableStack()
  const { browser } = stack.use(await start())
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (line) => {
    if (line.type() === 'error') errors.push(line.text())
  })
  await page.evaluateOnNewDocument(SPEAKING_PAGE)
  await page.goto(address)
  const owned = stack.move()
  return {
    page,
    errors,
    async click(selector) {
      const element = await page.$(selector)
      if (element === null) throw new Error(`The page has no ${selector}.`)
      await element.click()
    },
    async speak(recording) {
      await page.evaluate(`caller.speak(${JSON.stringify(writeWav(recording).toString('base64'))})`)
    },
    readProblems: async () => (await page.evaluate('caller.problems')) as string[],
    readLoudness: async () => (await page.evaluate('caller.blocks')) as LoudnessBlock[],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
