import { CONTROL_CLASS, Field } from '../../components/field.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { parseColour } from '../../lib/brand/colours.ts'
import { useText } from '../../lib/language.ts'
import type { BrandFieldProps } from './brand-field.ts'
import { ImageField } from './image-field.tsx'
import type { BrandField, Inherited, OwnBrand } from './own-brand.ts'

export interface BrandFieldsProps {
  readonly own: OwnBrand
  readonly inherited: Inherited
  readonly onChange: (changes: Partial<OwnBrand>) => void
}

/** Everything that makes a brand. What is empty is inherited, and says from where. */
export function BrandFields(props: BrandFieldsProps) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Panel title={t('Name and pictures')}>
        <TextRow {...props} field="productName" label={t('Product name')} help={t('What the product is called.')} />
        <PictureRow {...props} field="logoUrl" label={t('Logo')} />
        <PictureRow {...props} field="faviconUrl" label={t('Icon of the pages')} />
      </Panel>
      <Panel title={t('Colours')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <ColourRow {...props} field="primaryColor" label={t('Main colour')} />
          <ColourRow {...props} field="accentColor" label={t('Second colour')} />
        </div>
      </Panel>
      <Panel title={t('Help and terms')} description={t('Links at the foot of every page.')}>
        <TextRow
          {...props}
          field="supportEmail"
          label={t('E-mail address for help')}
          help={t('Where customers write for help.')}
        />
        <TextRow {...props} field="supportUrl" label={t('Page with help')} help={t('An https address.')} />
        <TextRow {...props} field="termsUrl" label={t('Terms of use')} help={t('An https address.')} />
        <TextRow {...props} field="privacyUrl" label={t('Page about privacy')} help={t('An https address.')} />
      </Panel>
      <Panel title={t('Where it shows')}>
        <TextRow
          {...props}
          field="domain"
          label={t('Domain')}
          help={t('Host name that shows this brand once it is verified, such as voice.example.com.')}
        />
        <PoweredByRow {...props} />
      </Panel>
    </div>
  )
}

/** Where the value comes from when the field is empty. */
function useOrigin({ own, inherited }: BrandFieldsProps, field: BrandField): string {
  const t = useText()
  if (own[field] !== null) return ''
  return inherited.from(field) === 'provider' ? t('Inherited from the provider.') : t('Inherited from the product.')
}

type PlainField = Exclude<BrandField, 'showPoweredBy' | 'logoUrl' | 'faviconUrl' | 'primaryColor' | 'accentColor'>

function TextRow({
  field,
  label,
  help,
  ...props
}: BrandFieldsProps & { readonly field: PlainField; readonly label: string; readonly help: string }) {
  const t = useText()
  const origin = useOrigin(props, field)
  const value = props.inherited.brand[field]
  return (
    <TextField
      label={label}
      help={value === null ? help : `${help} ${origin}`.trim()}
      name={field}
      autoComplete="off"
      placeholder={value ?? t('Not set')}
      value={props.own[field] ?? ''}
      onChange={(text) => props.onChange({ [field]: text === '' ? null : text })}
    />
  )
}

function PictureRow({
  field,
  label,
  ...props
}: BrandFieldsProps & { readonly field: 'logoUrl' | 'faviconUrl'; readonly label: string }) {
  const t = useText()
  const origin = useOrigin(props, field)
  const help = t('A file of at most 48 kB, or an https address.')
  return (
    <ImageField
      label={label}
      help={`${help} ${origin}`.trim()}
      name={field}
      value={props.own[field]}
      inherited={props.inherited.brand[field]}
      onChange={(value) => props.onChange({ [field]: value })}
    />
  )
}

function ColourRow({
  field,
  label,
  ...props
}: BrandFieldsProps & { readonly field: 'primaryColor' | 'accentColor'; readonly label: string }) {
  const t = useText()
  const origin = useOrigin(props, field)
  return (
    <ColourField
      label={label}
      help={origin === '' ? t('Empty it to inherit.') : origin}
      name={field}
      value={props.own[field]}
      inherited={props.inherited.brand[field]}
      onChange={(value) => props.onChange({ [field]: value })}
    />
  )
}

function PoweredByRow({ own, inherited, onChange }: BrandFieldsProps) {
  const t = useText()
  const above = inherited.brand.showPoweredBy ? t('As inherited: shown') : t('As inherited: not shown')
  return (
    <SelectField
      label={t('Line “Powered by Parley”')}
      help={t('Whether pages name the software beside the brand.')}
      name="showPoweredBy"
      value={own.showPoweredBy === null ? 'inherit' : own.showPoweredBy ? 'on' : 'off'}
      choices={[
        { value: 'inherit', label: above },
        { value: 'on', label: t('Shown') },
        { value: 'off', label: t('Not shown') },
      ]}
      onChange={(chosen) => onChange({ showPoweredBy: chosen === 'inherit' ? null : chosen === 'on' })}
    />
  )
}

/** A colour, by the picker of the browser or as `#rrggbb`; empty is inherited. */
function ColourField({ label, help, name, value, inherited, onChange }: BrandFieldProps<string>) {
  const t = useText()
  const shown = value !== null && parseColour(value) !== null ? value : inherited
  return (
    <Field label={label} help={help} name={name}>
      {(control) => (
        <span className="flex items-center gap-2">
          <input
            type="color"
            aria-label={t('Choose: {name}', { name: label })}
            className="h-9 w-12 shrink-0 rounded-md border border-line-strong bg-panel p-1"
            value={shown.toLowerCase()}
            onChange={(event) => onChange(event.target.value)}
          />
          <input
            {...control}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            maxLength={7}
            placeholder={inherited}
            className={`${CONTROL_CLASS} font-mono`}
            value={value ?? ''}
            onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
          />
        </span>
      )}
    </Field>
  )
}
