import { CONTROL_CLASS, Field } from '../../components/field.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { parseColor } from '../../lib/brand/colors.ts'
import { useText } from '../../lib/language.ts'
import type { BrandField, BrandInheritance, BrandOverrides } from './brand-overrides.ts'
import { type BrandFieldProps, ImageField } from './image-field.tsx'

export interface BrandFieldsProps {
  readonly overrides: BrandOverrides
  readonly inheritance: BrandInheritance
  readonly onChange: (changes: Partial<BrandOverrides>) => void
}

/** Renders the fields of a brand. Empty fields are inherited and display their origin. */
export function BrandFields(props: BrandFieldsProps) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Panel title={t('Name and images')}>
        <TextRow
          {...props}
          field="productName"
          label={t('Product name')}
          help={t('Shown in the menu and in window titles.')}
        />
        <ImageRow {...props} field="logoUrl" label={t('Logo')} />
        <ImageRow {...props} field="faviconUrl" label={t('Favicon')} />
      </Panel>
      <Panel title={t('Colors')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <ColorRow {...props} field="primaryColor" label={t('Primary color')} />
          <ColorRow {...props} field="accentColor" label={t('Accent color')} />
        </div>
      </Panel>
      <Panel title={t('Support and legal')} description={t('Links in the footer of every page.')}>
        <TextRow
          {...props}
          field="supportEmail"
          label={t('Support email')}
          help={t('Customers write to this address.')}
        />
        <TextRow {...props} field="supportUrl" label={t('Support page')} help={t('An https URL.')} />
        <TextRow {...props} field="termsUrl" label={t('Terms of use')} help={t('An https URL.')} />
        <TextRow {...props} field="privacyUrl" label={t('Privacy policy')} help={t('An https URL.')} />
      </Panel>
      <Panel title={t('Domain')}>
        <TextRow
          {...props}
          field="domain"
          label={t('Domain')}
          help={t('Displays this brand after the domain is verified, for example voice.example.com.')}
        />
        <PoweredByRow {...props} />
      </Panel>
    </div>
  )
}

/** Describes where the value of an empty field is inherited from. */
function useOrigin({ overrides, inheritance }: BrandFieldsProps, field: BrandField): string {
  const t = useText()
  if (overrides[field] !== null) return ''
  return inheritance.getSource(field) === 'provider'
    ? t('Inherited from the provider.')
    : t('Inherited from the product.')
}

type TextBrandField = Exclude<BrandField, 'showPoweredBy' | 'logoUrl' | 'faviconUrl' | 'primaryColor' | 'accentColor'>

function TextRow({
  field,
  label,
  help,
  ...props
}: BrandFieldsProps & { readonly field: TextBrandField; readonly label: string; readonly help: string }) {
  const t = useText()
  const origin = useOrigin(props, field)
  const value = props.inheritance.brand[field]
  return (
    <TextField
      label={label}
      help={value === null ? help : `${help} ${origin}`.trim()}
      name={field}
      autoComplete="off"
      placeholder={value ?? t('Not set')}
      value={props.overrides[field] ?? ''}
      onChange={(text) => props.onChange({ [field]: text === '' ? null : text })}
    />
  )
}

function ImageRow({
  field,
  label,
  ...props
}: BrandFieldsProps & { readonly field: 'logoUrl' | 'faviconUrl'; readonly label: string }) {
  const t = useText()
  const origin = useOrigin(props, field)
  const help = t('A file up to 48 kB, or an https URL.')
  return (
    <ImageField
      label={label}
      help={`${help} ${origin}`.trim()}
      name={field}
      value={props.overrides[field]}
      inheritedValue={props.inheritance.brand[field]}
      onChange={(value) => props.onChange({ [field]: value })}
    />
  )
}

function ColorRow({
  field,
  label,
  ...props
}: BrandFieldsProps & { readonly field: 'primaryColor' | 'accentColor'; readonly label: string }) {
  const t = useText()
  const origin = useOrigin(props, field)
  return (
    <ColorField
      label={label}
      help={origin === '' ? t('Clear the field to inherit.') : origin}
      name={field}
      value={props.overrides[field]}
      inheritedValue={props.inheritance.brand[field]}
      onChange={(value) => props.onChange({ [field]: value })}
    />
  )
}

function PoweredByRow({ overrides, inheritance, onChange }: BrandFieldsProps) {
  const t = useText()
  const inheritedLabel = inheritance.brand.showPoweredBy ? t('Inherited: visible') : t('Inherited: hidden')
  return (
    <SelectField
      label={t('“Powered by Parley”')}
      help={t('A line in the footer of every page.')}
      name="showPoweredBy"
      value={overrides.showPoweredBy === null ? 'inherit' : overrides.showPoweredBy ? 'on' : 'off'}
      choices={[
        { value: 'inherit', label: inheritedLabel },
        { value: 'on', label: t('Visible') },
        { value: 'off', label: t('Hidden') },
      ]}
      onChange={(choice) => onChange({ showPoweredBy: choice === 'inherit' ? null : choice === 'on' })}
    />
  )
}

/** Renders a color picker with a `#rrggbb` field. An empty color is inherited. */
function ColorField({ label, help, name, value, inheritedValue, onChange }: BrandFieldProps<string>) {
  const t = useText()
  const displayedColor = value !== null && parseColor(value) !== null ? value : inheritedValue
  return (
    <Field label={label} help={help} name={name}>
      {(control) => (
        <span className="flex items-center gap-2">
          <input
            type="color"
            aria-label={t('Pick {name}', { name: label })}
            className="h-9 w-12 shrink-0 rounded-md border border-line-strong bg-panel p-1"
            value={displayedColor.toLowerCase()}
            onChange={(event) => onChange(event.target.value)}
          />
          <input
            {...control}
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            maxLength={7}
            placeholder={inheritedValue}
            className={`${CONTROL_CLASS} font-mono`}
            value={value ?? ''}
            onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
          />
        </span>
      )}
    </Field>
  )
}
