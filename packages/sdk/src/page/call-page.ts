import type { Call } from '../call.ts'
import type { CallEvents } from '../call-events.ts'
import { CallProblem } from '../call-problem.ts'
import { browserClock } from '../clock.ts'
import { devices } from '../devices.ts'
import { type StartCallOptions, startCall } from '../start-call.ts'
import * as view from './page-view.ts'
import { activityWords, durationWords, endingWords, latencyDetails, latencyWords, waysOut } from './page-words.ts'

/** Milliseconds that a warning stays. */
const WARNING_MS = 8_000
/** How an agent without a name is called. */
const NAMELESS = 'The agent'
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#']

const callId = decodeURIComponent(location.pathname.split('/').filter(Boolean).at(-1) ?? '')
const resumeKey = `parley-call:${callId}`

/** The token leaves the address at once: addresses are shared, stored and logged. */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  return token
}

const accessToken = takeToken()
let call: Call | null = null
let hideWarning: (() => void) | null = null

function offer(): void {
  const kept = sessionStorage.getItem(resumeKey)
  if (accessToken !== null) {
    view.showStage('notice')
    view.showStatus('', 'none')
    view.showNotice({
      title: 'Ready to talk?',
      text: 'You will speak with an automated agent. The browser asks for your microphone.',
      actions: [
        { label: 'Start the call', act: () => join({ accessToken }) },
        { label: 'Type instead', plain: true, act: () => join({ accessToken, microphone: false }) },
      ],
    })
  } else if (kept !== null) join(JSON.parse(kept) as StartCallOptions)
  else showProblem(new CallProblem('token_invalid', 'This address is not complete: it has no token.'), null)
}

function join(options: StartCallOptions): void {
  void tryJoin(options)
}

async function tryJoin(options: StartCallOptions): Promise<void> {
  view.showStage('joining')
  view.showStatus('Joining…', 'thinking')
  try {
    follow(await startCall(options), options)
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error
    // A page that was loaded again too late finds its call over, whatever the server calls that.
    const isOver = options.resumeToken !== undefined && /^(token_|call_ended$)/.test(error.code)
    if (isOver) sessionStorage.removeItem(resumeKey)
    showProblem(isOver ? new CallProblem('call_ended') : error, options)
  }
}

function showProblem(problem: CallProblem, options: StartCallOptions | null): void {
  const { tryAgain, typeInstead } = waysOut(problem.code)
  view.showStage('notice')
  view.showStatus('', 'none')
  view.showNotice({
    title: problem.message,
    text: '',
    fix: problem.fix,
    actions: [
      ...(options !== null && tryAgain ? [{ label: 'Try again', act: () => join(options) }] : []),
      ...(options !== null && typeInstead
        ? [{ label: 'Go on by typing', plain: true, act: () => join({ ...options, microphone: false }) }]
        : []),
    ],
  })
}

function follow(begun: Call, options: StartCallOptions): void {
  call = begun
  const showAgent = (): void => view.showAgent(begun.agentName || NAMELESS, options.microphone !== false)
  showAgent()
  view.showStage('call')
  view.showBanner('stand-ins', begun.standIns.join(' '))
  keepWayBack(begun, options)
  tick(begun)
  let pending: { readonly text: string; readonly details: string } | null = null
  let doing: CallEvents['activity'] = { agent: 'idle', user: 'silent' }
  const showActivity = (): void => {
    const ears = begun.recognition === 'none' ? 'none' : begun.muted ? 'muted' : 'open'
    view.showStatus(activityWords(doing.agent, doing.user, ears), doing.agent)
  }
  showActivity()
  begun.on('activity', (activity) => {
    doing = activity
    showActivity()
  })
  begun.on('agent', showAgent)
  begun.on('level', ({ agent, user }) => view.showLevel(agent, user))
  begun.on('transcript', (said) => {
    view.showCaption(said, begun.agentName || NAMELESS)
    if (pending !== null && view.noteLatency(pending.text, pending.details)) pending = null
  })
  begun.on('latency', ({ latency }) => {
    const note = { text: latencyWords(latency), details: latencyDetails(latency) }
    pending = view.noteLatency(note.text, note.details) ? null : note
  })
  begun.on('reconnecting', () => view.showStatus('Reconnecting…', 'none'))
  begun.on('reconnected', () => {
    keepWayBack(begun, options)
    showActivity()
  })
  begun.on('warning', ({ code, message }) => {
    // What stood there about who recognises speech is no longer so.
    if (code === 'recognition_unavailable') view.showBanner('stand-ins', message)
    else warn(message, code === 'autoplay_blocked')
    showActivity()
  })
  begun.on('ended', ({ reason }) => showEnd(reason, begun.elapsedMs))
  view.parts.mute.onclick = () => {
    if (begun.muted) begun.unmute()
    else begun.mute()
    view.showMuted(begun.muted)
    showActivity()
  }
  const changeMicrophone = async (): Promise<void> => {
    await begun.setMicrophone(view.parts.microphone.value)
    // Whose microphone was gone is heard again.
    showActivity()
  }
  view.parts.microphone.onchange = () => void change(changeMicrophone)
}

/**
 * A page that is loaded again goes on with its call, without a microphone where none was wanted. The token changes with every
 * connection and is worthless after the call.
 */
function keepWayBack({ resumeToken }: Call, { microphone }: StartCallOptions): void {
  if (resumeToken !== null) sessionStorage.setItem(resumeKey, JSON.stringify({ resumeToken, microphone }))
}

function tick(begun: Call): void {
  if (begun.over) return
  view.showTimer(durationWords(begun.elapsedMs))
  browserClock.after(500, () => tick(begun))
}

/** Shows a warning for a while, or until somebody touches the page where that is what helps. */
function warn(message: string, untilGesture: boolean): void {
  hideWarning?.()
  view.showBanner('warning', message)
  const hide = (): void => view.showBanner('warning', '')
  if (!untilGesture) {
    hideWarning = browserClock.after(WARNING_MS, hide)
    return
  }
  const ending = new AbortController()
  for (const name of ['pointerdown', 'keydown'])
    document.addEventListener(name, hide, { once: true, signal: ending.signal })
  hideWarning = () => ending.abort()
}

function showEnd(reason: string, durationMs: number): void {
  sessionStorage.removeItem(resumeKey)
  call = null
  hideWarning?.()
  view.showBanner('warning', '')
  view.showBanner('stand-ins', '')
  view.showTimer(durationWords(durationMs))
  view.closePanels()
  view.showStage('ended')
  view.showLevel(0, 0)
  view.showStatus('', 'none')
  view.showNotice({
    title: 'The call is over',
    text: `${endingWords(reason)} It lasted ${durationWords(durationMs)}.`,
    actions: [],
  })
}

async function fillDevices(): Promise<void> {
  view.showDevices(await devices())
}

async function change(work: () => Promise<void> | undefined): Promise<void> {
  view.showDeviceProblem('')
  try {
    await work()
  } catch (error) {
    view.showDeviceProblem(error instanceof CallProblem ? `${error.message} ${error.fix}` : 'That did not work.')
  }
}

function wireControls(): void {
  const { parts } = view
  parts.end.addEventListener('click', () => call?.end())
  parts.typeForm.addEventListener('submit', (event) => {
    event.preventDefault()
    call?.type(parts.typeText.value)
    parts.typeText.value = ''
  })
  parts.showDevices.addEventListener('click', () => {
    view.toggle(parts.showDevices, parts.devices)
    view.toggle(parts.showKeypad, parts.keypad, false)
    void fillDevices()
  })
  parts.showKeypad.addEventListener('click', () => {
    view.toggle(parts.showKeypad, parts.keypad)
    view.toggle(parts.showDevices, parts.devices, false)
  })
  parts.speaker.addEventListener('change', () => void change(() => call?.setSpeaker(parts.speaker.value)))
  navigator.mediaDevices?.addEventListener('devicechange', () => void fillDevices())
  for (const key of KEYS) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'plain'
    button.textContent = key
    button.addEventListener('click', () => call?.sendDigits(key))
    parts.keypad.append(button)
  }
}

wireControls()
offer()
