import type { CallTranscript } from '../call-events.ts'
import type { CallDevice, CallDevices } from '../devices.ts'

/** Notice before and after a call, or after a failure. */
interface Notice {
  readonly title: string
  readonly text: string
  readonly fix?: string
  readonly actions: readonly { readonly label: string; readonly plain?: boolean; readonly onClick: () => void }[]
}

type Stage = 'notice' | 'joining' | 'call' | 'ended'

function findElement<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id)
  if (element instanceof kind) return element
  throw new Error(`The page has no ${id}.`)
}

const page = findElement('page', HTMLElement)
const captions = findElement('captions', HTMLElement)
const entries = new Map<string, HTMLElement>()
// Scrollable content must be accessible by keyboard.
captions.tabIndex = 0
new ResizeObserver(() => {
  captions.scrollTop = captions.scrollHeight
}).observe(captions)

/** Interactive elements of the page. */
export const parts = {
  mute: findElement('mute', HTMLButtonElement),
  end: findElement('end', HTMLButtonElement),
  typeForm: findElement('type-form', HTMLFormElement),
  typeText: findElement('type-text', HTMLInputElement),
  showDevices: findElement('show-devices', HTMLButtonElement),
  devices: findElement('devices', HTMLElement),
  showKeypad: findElement('show-keypad', HTMLButtonElement),
  keypad: findElement('keypad', HTMLElement),
  microphone: findElement('microphone', HTMLSelectElement),
  speaker: findElement('speaker', HTMLSelectElement),
}

export function showStage(stage: Stage): void {
  page.dataset['stage'] = stage
  findElement('timer', HTMLElement).hidden = stage === 'notice' || stage === 'joining'
  findElement('notice', HTMLElement).hidden = stage === 'joining' || stage === 'call'
}

export function showAgent(name: string, hasMicrophone: boolean): void {
  findElement('who-label', HTMLElement).textContent = 'Call with'
  findElement('agent-name', HTMLElement).textContent = name
  document.title = `Call with ${name}`
  page.toggleAttribute('data-muteless', !hasMicrophone)
}

export function showNotice({ title, text, fix, actions }: Notice): void {
  const heading = findElement('notice-title', HTMLElement)
  heading.textContent = title
  findElement('notice-text', HTMLElement).textContent = text
  const fixText = findElement('notice-fix', HTMLElement)
  fixText.textContent = fix ?? ''
  fixText.hidden = fix === undefined
  const buttons = actions.map(({ label, plain, onClick }) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = label
    button.classList.toggle('plain', plain === true)
    button.addEventListener('click', onClick)
    return button
  })
  findElement('notice-actions', HTMLElement).replaceChildren(...buttons)
  heading.focus()
}

export function showStatus(text: string, activity: string): void {
  const status = findElement('status', HTMLElement)
  if (status.textContent !== text) status.textContent = text
  findElement('orb', HTMLElement).dataset['activity'] = activity
}

export function showLevel(agent: number, user: number): void {
  const { style } = findElement('orb', HTMLElement)
  style.setProperty('--level', agent.toFixed(3))
  style.setProperty('--own', user.toFixed(3))
}

export function showTimer(text: string): void {
  findElement('timer', HTMLElement).textContent = text
}

/** Displays a banner above the call. An empty text hides the banner. */
export function showBanner(id: 'stand-ins' | 'warning', text: string): void {
  const banner = findElement(id, HTMLElement)
  banner.textContent = text
  banner.hidden = text === ''
}

export function showMuted(isMuted: boolean): void {
  parts.mute.setAttribute('aria-pressed', String(isMuted))
}

/** Adds or updates a caption. */
export function showCaption({ id, role, text, final, interrupted }: CallTranscript, agentName: string): void {
  if (text === '' && final) {
    entries.get(id)?.remove()
    entries.delete(id)
    return
  }
  const isAtEnd = captions.scrollHeight - captions.scrollTop - captions.clientHeight < 80
  const entry = entries.get(id) ?? addEntry(id, role, agentName)
  entry.dataset['final'] = String(final)
  const captionText = entry.querySelector('.said')
  if (captionText) captionText.textContent = interrupted ? `${text}…` : text
  page.toggleAttribute('data-said', true)
  if (isAtEnd) captions.scrollTop = captions.scrollHeight
}

function addEntry(id: string, role: 'agent' | 'user', agentName: string): HTMLElement {
  const entry = document.createElement('p')
  entry.dataset['role'] = role
  entry.append(
    createElement('span', 'speaker', role === 'agent' ? agentName : 'You'),
    createElement('span', 'said', ''),
  )
  entries.set(id, entry)
  captions.append(entry)
  return entry
}

/** Adds a note to the agent's last caption. Returns false if the caller spoke last. */
export function showLatency(text: string, details: string): boolean {
  const lastCaption = captions.lastElementChild
  if (!(lastCaption instanceof HTMLElement) || lastCaption.dataset['role'] !== 'agent') return false
  lastCaption.querySelector('.note')?.remove()
  const note = createElement('span', 'note', text)
  note.title = details
  lastCaption.append(note)
  captions.scrollTop = captions.scrollHeight
  return true
}

function createElement(name: string, className: string, text: string): HTMLElement {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

/** Closes all panels. */
export function closePanels(): void {
  togglePanel(parts.showDevices, parts.devices, false)
  togglePanel(parts.showKeypad, parts.keypad, false)
}

/** Opens or closes the panel of a button. */
export function togglePanel(button: HTMLButtonElement, panel: HTMLElement, isOpen = panel.hidden): void {
  panel.hidden = !isOpen
  button.setAttribute('aria-expanded', String(isOpen))
}

export function showDevices({ microphones, speakers }: CallDevices): void {
  fillSelect(parts.microphone, microphones, 'Microphone')
  fillSelect(parts.speaker, speakers, 'Speaker')
  findElement('speaker-field', HTMLElement).hidden = speakers.length === 0
}

export function showDeviceProblem(text: string): void {
  findElement('device-problem', HTMLElement).textContent = text
}

function fillSelect(select: HTMLSelectElement, devices: readonly CallDevice[], name: string): void {
  const selectedId = select.value
  const options = devices.map(({ deviceId, label }, index) => new Option(label || `${name} ${index + 1}`, deviceId))
  select.replaceChildren(...options)
  if (devices.some(({ deviceId }) => deviceId === selectedId)) select.value = selectedId
}
