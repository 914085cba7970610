import { useNavigate } from '@tanstack/react-router'
import { CircleUser, Keyboard, LogOut, UserCog } from 'lucide-react'
import { useChooseLanguage } from '../../components/choose-language.ts'
import { Menu, MenuChoices, MenuEntry, MenuLine } from '../../components/menu.tsx'
import { LANGUAGES, type Language, useLanguage, useText } from '../../lib/language.ts'
import { useSession } from '../../lib/session/session.ts'
import { useStore } from '../../lib/store.ts'
import { chooseTheme, type Theme, themeStore } from '../../lib/theme.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useLeaving } from '../leaving.ts'

/** The person: profile, look, language, sign out. */
export function PersonMenu({ onShowKeys }: { readonly onShowKeys: () => void }) {
  const t = useText()
  const { user } = useSession()
  const leave = useLeaving()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const language = useLanguage()
  const theme = useStore(themeStore)
  const name = user.name === '' ? user.email : user.name

  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('Account: {name}', { name })}
          className="flex min-h-10 w-full items-center gap-2.5 rounded-md px-2 text-start hover:bg-sunken"
        >
          <CircleUser aria-hidden="true" className="size-5 shrink-0 text-muted" />
          <span className="min-w-0 truncate" dir="auto">
            {name}
          </span>
        </button>
      }
    >
      <MenuEntry
        icon={UserCog}
        label={t('Profile')}
        onSelect={() => void navigate({ to: '/$workspaceId/profile', params: { workspaceId } })}
      />
      <MenuEntry icon={Keyboard} label={t('Keyboard shortcuts')} onSelect={onShowKeys} />
      <MenuLine />
      <MenuChoices<Theme>
        label={t('Theme')}
        value={theme}
        choices={[
          { value: 'system', label: t('System') },
          { value: 'light', label: t('Light') },
          { value: 'dark', label: t('Dark') },
        ]}
        onChoose={chooseTheme}
      />
      <MenuChoices<Language>
        label={t('Language')}
        value={language}
        choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
        onChoose={useChooseLanguage()}
      />
      <MenuLine />
      <MenuEntry icon={LogOut} label={t('Sign out')} onSelect={leave} />
    </Menu>
  )
}
