import type { Crawl } from '@parley/contract/knowledge-base'
import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { NumberField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { useText } from '../../lib/language.ts'
import { ADDRESS_BEGINNING } from './source-facts.ts'

const MOST_SITES = 10
const MAX_PAGES = 500
const NEW_SITE: Crawl = { path: '', exclude: [], maxPages: 100 }

/** Sites whose pages become sources. */
export function SitesPanel({
  sites,
  onChange,
  disabled,
}: {
  readonly sites: readonly Crawl[]
  readonly onChange: (sites: Crawl[]) => void
  readonly disabled: boolean
}) {
  const t = useText()
  return (
    <Panel
      title={t('Sites')}
      description={t(
        'Their pages are followed within the address and become sources. What robots.txt forbids is left alone. Pages of a site that is taken out are removed.',
      )}
    >
      {sites.length === 0 && <p className="text-muted">{t('No site is followed.')}</p>}
      {sites.map((site, index) => (
        <SiteFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the address is what is being typed.
          key={index}
          site={site}
          index={index}
          disabled={disabled}
          onChange={(changes) => onChange(sites.map((each, at) => (at === index ? { ...each, ...changes } : each)))}
          onRemove={() => onChange(sites.filter((_site, at) => at !== index))}
        />
      ))}
      {!disabled && sites.length < MOST_SITES && (
        <Button icon={Plus} className="w-fit" onClick={() => onChange([...sites, NEW_SITE])}>
          {t('Add a site')}
        </Button>
      )}
    </Panel>
  )
}

function SiteFields({
  site,
  index,
  disabled,
  onChange,
  onRemove,
}: {
  readonly site: Crawl
  readonly index: number
  readonly disabled: boolean
  readonly onChange: (changes: Partial<Crawl>) => void
  readonly onRemove: () => void
}) {
  const t = useText()
  const name = `crawl[${index}]`
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium">{t('Site {number}', { number: index + 1 })}</legend>
      <TextField
        label={t('Address')}
        help={t('What the addresses of the pages begin with, or that of a sitemap (….xml).')}
        name={`${name}.path`}
        inputMode="url"
        spellCheck={false}
        placeholder={ADDRESS_BEGINNING}
        disabled={disabled}
        value={site.path}
        onChange={(path) => onChange({ path })}
      />
      <LinesField
        label={t('Left out')}
        help={t('Beginnings of addresses or paths that are not read, one in a line.')}
        name={`${name}.exclude`}
        isOptional
        disabled={disabled}
        value={site.exclude}
        onChange={(exclude) => onChange({ exclude })}
      />
      <NumberField
        label={t('Pages at most')}
        help={t('From 1 to 500.')}
        name={`${name}.maxPages`}
        minimum={1}
        maximum={MAX_PAGES}
        disabled={disabled}
        value={site.maxPages}
        onChange={(maxPages) => maxPages !== null && onChange({ maxPages })}
      />
      {!disabled && (
        <Button icon={Trash2} className="w-fit" onClick={onRemove}>
          {t('Remove site {number}', { number: index + 1 })}
        </Button>
      )}
    </fieldset>
  )
}
