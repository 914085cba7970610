import { createStore } from './store.ts'

type SettingName = 'language' | 'theme' | 'workspace'

const key = (name: SettingName): string => `parley.${name}`

export function readSetting(name: SettingName): string | null {
  try {
    return localStorage.getItem(key(name))
  } catch {
    return null
  }
}

export function writeSetting(name: SettingName, value: string): void {
  try {
    localStorage.setItem(key(name), value)
  } catch {
    // Without storage, the setting lasts until the page closes.
  }
}

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const isTheme = (name: string | null): name is Theme => THEMES.some((theme) => theme === name)

export const themeStore = createStore<Theme>('system')

const darkSystem = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

function apply(): void {
  const theme = themeStore.get()
  const isDark = theme === 'dark' || (theme === 'system' && darkSystem().matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

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
