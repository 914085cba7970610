import { createStore } from './store.ts'

type SettingName = 'language' | 'theme' | 'workspace'

const buildKey = (name: SettingName): string => `parley.${name}`

export function readSetting(name: SettingName): string | null {
  try {
    return localStorage.getItem(buildKey(name))
  } catch {
    return null
  }
}

export function writeSetting(name: SettingName, value: string): void {
  try {
    localStorage.setItem(buildKey(name), value)
  } catch {
    // Without storage, the setting lasts until the page closes.
  }
}

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const isTheme = (name: string | null): name is Theme => THEMES.some((theme) => theme === name)

export const themeStore = createStore<Theme>('system')

const getDarkThemeQuery = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

function applyTheme(): void {
  const theme = themeStore.get()
  const isDark = theme === 'dark' || (theme === 'system' && getDarkThemeQuery().matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

export function startTheme(): void {
  const storedTheme = readSetting('theme')
  if (isTheme(storedTheme)) themeStore.set(storedTheme)
  themeStore.subscribe(applyTheme)
  getDarkThemeQuery().addEventListener('change', applyTheme)
  applyTheme()
}

export function chooseTheme(theme: Theme): void {
  writeSetting('theme', theme)
  themeStore.set(theme)
}
