/** What a person has chosen in this browser. A browser without storage forgets it with the page. */

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
    // Private windows and full disks: the choice lasts as long as the page.
  }
}
