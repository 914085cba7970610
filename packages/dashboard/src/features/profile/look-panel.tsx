import { useChooseLanguage } from '../../components/choose-language.ts'
import { SelectField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { LANGUAGES, type Language, useLanguage, useText } from '../../lib/language.ts'
import { useStore } from '../../lib/store.ts'
import { chooseTheme, type Theme, themeStore } from '../../lib/theme.ts'

/** Look and language, kept in this browser. */
export function LookPanel() {
  const t = useText()
  return (
    <Panel title={t('Look and language')} description={t('Kept in this browser.')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField<Theme>
          label={t('Look')}
          value={useStore(themeStore)}
          choices={[
            { value: 'system', label: t('As the system') },
            { value: 'light', label: t('Light') },
            { value: 'dark', label: t('Dark') },
          ]}
          onChange={chooseTheme}
        />
        <SelectField<Language>
          label={t('Language')}
          value={useLanguage()}
          choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
          onChange={useChooseLanguage()}
        />
      </div>
    </Panel>
  )
}
