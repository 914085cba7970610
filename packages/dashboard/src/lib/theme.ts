import { readSetting, writeSetting } from './settings.ts'
import { createStore } from './store.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const isTheme = (name: string | null): name is Theme => THEMES.some((theme) => theme === name)

/** What the person has chosen. */
export const themeStore = createStore<Theme>('system')

const darkSystem = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

function apply(): void {
  const theme = themeStore.get()
  const isDark = theme === 'dark' || (theme === 'system' && darkSystem().matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

/** Shows the chosen theme, and follows the system where none was chosen. */
export function startTheme(): void {
  const chosen = readSetting('theme')
  if (isTheme(chosen)) themeStore.set(chosen)
  themeStore.subscribe(apply)
  darkSystem().addEventListener('change', apply)
  apply()
}

export function chooseTheme(theme: Theme): void {
  writeSetting('theme', theme)
  themeStore.set(theme)
}
