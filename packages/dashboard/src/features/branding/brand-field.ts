/** What every field of a brand gets; null is inherited. */
export interface BrandFieldProps<Inherited extends string | null> {
  readonly label: string
  readonly help: string
  readonly name: string
  readonly value: string | null
  /** What shows while nothing of one's own is set. */
  readonly inherited: Inherited
  readonly onChange: (value: string | null) => void
}
