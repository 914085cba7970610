import type { Call } from '../call.ts'
import type { CallEvents } from '../call-events.ts'
import { CallProblem } from '../call-problem.ts'
import { browserClock } from '../clock.ts'
import { devices } from '../devices.ts'
import { type StartCallOptions, startCall } from '../start-call.ts'
import {
  describeActivity,
  describeEndReason,
  formatDuration,
  formatLatency,
  formatLatencyDetails,
  getRecoveryOptions,
} from './page-texts.ts'
import * as view from './page-view.ts'

/** Display time of a warning in milliseconds. */
const WARNING_MS = 8_000
/** Display name of an agent that has no name. */
const DEFAULT_AGENT_NAME = 'The agent'
const KEYPAD_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#']

const callId = decodeURIComponent(location.pathname.split('/').filter(Boolean).at(-1) ?? '')
const resumeKey = `parley-call:${callId}`

/** Reads the token and removes it from the address bar, since URLs are shared, stored and logged. */
function readToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  return token
}

const accessToken = readToken()
let call: Call | null = null
let hideWarning: (() => void) | null = null

function showStart(): void {
  const savedOptions = sessionStorage.getItem(resumeKey)
  if (accessToken !== null) {
    view.showStage('notice')
    view.showStatus('', 'none')
    view.showNotice({
      title: 'Ready to talk?',
      text: 'You will speak with an automated agent. The browser will ask for your microphone.',
      actions: [
        { label: 'Start the call', onClick: () => joinCall({ accessToken }) },
        { label: 'Type instead', plain: true, onClick: () => joinCall({ accessToken, microphone: false }) },
      ],
    })
  } else if (savedOptions !== null) joinCall(JSON.parse(savedOptions) as StartCallOptions)
  else showProblem(new CallProblem('token_invalid', 'This link is incomplete: the token is missing.'), null)
}

function joinCall(options: StartCallOptions): void {
  void tryJoin(options)
}

async function tryJoin(options: StartCallOptions): Promise<void> {
  view.showStage('joining')
  view.showStatus('Joining…', 'thinking')
  try {
    attachCall(await startCall(options), options)
  } catch (error) {
    if (!(error instanceof CallProblem)) throw error
    // The call ended before the page was reloaded, so the server's error code does not matter.
    const isEnded = options.resumeToken !== undefined && /^(token_|call_ended$)/.test(error.code)
    if (isEnded) sessionStorage.removeItem(resumeKey)
    showProblem(isEnded ? new CallProblem('call_ended') : error, options)
  }
}

function showProblem(problem: CallProblem, options: StartCallOptions | null): void {
  const { tryAgain, typeInstead } = getRecoveryOptions(problem.code)
  view.showStage('notice')
  view.showStatus('', 'none')
  view.showNotice({
    title: problem.message,
    text: '',
    fix: problem.fix,
    actions: [
      ...(options !== null && tryAgain ? [{ label: 'Try again', onClick: () => joinCall(options) }] : []),
      ...(options !== null && typeInstead
        ? [{ label: 'Type instead', plain: true, onClick: () => joinCall({ ...options, microphone: false }) }]
        : []),
    ],
  })
}

function attachCall(startedCall: Call, options: StartCallOptions): void {
  call = startedCall
  const showAgent = (): void =>
    view.showAgent(startedCall.agentName || DEFAULT_AGENT_NAME, options.microphone !== false)
  showAgent()
  view.showStage('call')
  view.showBanner('stand-ins', startedCall.standIns.join(' '))
  saveResumeOptions(startedCall, options)
  updateTimer(startedCall)
  let pendingLatency: { readonly text: string; readonly details: string } | null = null
  let currentActivity: CallEvents['activity'] = { agent: 'idle', user: 'silent' }
  const showActivity = (): void => {
    const recognitionStatus = startedCall.recognition === 'none' ? 'none' : startedCall.muted ? 'muted' : 'open'
    view.showStatus(
      describeActivity(currentActivity.agent, currentActivity.user, recognitionStatus),
      currentActivity.agent,
    )
  }
  showActivity()
  startedCall.on('activity', (activity) => {
    currentActivity = activity
    showActivity()
  })
  startedCall.on('agent', showAgent)
  startedCall.on('level', ({ agent, user }) => view.showLevel(agent, user))
  startedCall.on('transcript', (transcript) => {
    view.showCaption(transcript, startedCall.agentName || DEFAULT_AGENT_NAME)
    if (pendingLatency !== null && view.showLatency(pendingLatency.text, pendingLatency.details)) pendingLatency = null
  })
  startedCall.on('latency', ({ latency }) => {
    const note = { text: formatLatency(latency), details: formatLatencyDetails(latency) }
    pendingLatency = view.showLatency(note.text, note.details) ? null : note
  })
  startedCall.on('reconnecting', () => view.showStatus('Reconnecting…', 'none'))
  startedCall.on('reconnected', () => {
    saveResumeOptions(startedCall, options)
    showActivity()
  })
  startedCall.on('warning', ({ code, message }) => {
    // The new message replaces the previous banner about speech recognition.
    if (code === 'recognition_unavailable') view.showBanner('stand-ins', message)
    else showWarning(message, code === 'autoplay_blocked')
    showActivity()
  })
  startedCall.on('ended', ({ reason }) => showEnd(reason, startedCall.elapsedMs))
  view.parts.mute.onclick = () => {
    if (startedCall.muted) startedCall.unmute()
    else startedCall.mute()
    view.showMuted(startedCall.muted)
    showActivity()
  }
  const changeMicrophone = async (): Promise<void> => {
    await startedCall.setMicrophone(view.parts.microphone.value)
    // Switching the microphone can change the activity.
    showActivity()
  }
  view.parts.microphone.onchange = () => void changeDevice(changeMicrophone)
}

/**
 * Saves the options with which a reloaded page can resume the call. The token changes with every connection and expires with
 * the call.
 */
function saveResumeOptions({ resumeToken }: Call, { microphone }: StartCallOptions): void {
  if (resumeToken !== null) sessionStorage.setItem(resumeKey, JSON.stringify({ resumeToken, microphone }))
}

function updateTimer(startedCall: Call): void {
  if (startedCall.ended) return
  view.showTimer(formatDuration(startedCall.elapsedMs))
  browserClock.after(500, () => updateTimer(startedCall))
}

/** Displays a warning for a while, or until the next user gesture. */
function showWarning(message: string, untilGesture: boolean): void {
  hideWarning?.()
  view.showBanner('warning', message)
  const hide = (): void => view.showBanner('warning', '')
  if (!untilGesture) {
    hideWarning = browserClock.after(WARNING_MS, hide)
    return
  }
  const controller = new AbortController()
  for (const name of ['pointerdown', 'keydown'])
    document.addEventListener(name, hide, { once: true, signal: controller.signal })
  hideWarning = () => controller.abort()
}

function showEnd(reason: string, durationMs: number): void {
  sessionStorage.removeItem(resumeKey)
  call = null
  hideWarning?.()
  view.showBanner('warning', '')
  view.showBanner('stand-ins', '')
  view.showTimer(formatDuration(durationMs))
  view.closePanels()
  view.showStage('ended')
  view.showLevel(0, 0)
  view.showStatus('', 'none')
  view.showNotice({
    title: 'Call ended',
    text: `${describeEndReason(reason)} It lasted ${formatDuration(durationMs)}.`,
    actions: [],
  })
}

async function refreshDevices(): Promise<void> {
  view.showDevices(await devices())
}

async function changeDevice(changeAction: () => Promise<void> | undefined): Promise<void> {
  view.showDeviceProblem('')
  try {
    await changeAction()
  } catch (error) {
    view.showDeviceProblem(error instanceof CallProblem ? `${error.message} ${error.fix}` : 'Something went wrong.')
  }
}

function attachControls(): void {
  const { parts } = view
  parts.end.addEventListener('click', () => call?.end())
  parts.typeForm.addEventListener('submit', (event) => {
    event.preventDefault()
    call?.type(parts.typeText.value)
    parts.typeText.value = ''
  })
  parts.showDevices.addEventListener('click', () => {
    view.togglePanel(parts.showDevices, parts.devices)
    view.togglePanel(parts.showKeypad, parts.keypad, false)
    void refreshDevices()
  })
  parts.showKeypad.addEventListener('click', () => {
    view.togglePanel(parts.showKeypad, parts.keypad)
    view.togglePanel(parts.showDevices, parts.devices, false)
  })
  parts.speaker.addEventListener('change', () => void changeDevice(() => call?.setSpeaker(parts.speaker.value)))
  navigator.mediaDevices?.addEventListener('devicechange', () => void refreshDevices())
  for (const key of KEYPAD_KEYS) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'plain'
    button.textContent = key
    button.addEventListener('click', () => call?.sendDigits(key))
    parts.keypad.append(button)
  }
}

attachControls()
showStart()
