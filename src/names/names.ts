/**
 * The only module that writes a brand. Everything else asks here, so one server speaks either dialect.
 *
 * Source: design, "Names and dialects".
 */

export type DialectName = 'cluster' | 'kubernetes'

export const dialectNames: readonly DialectName[] = ['cluster', 'kubernetes']

interface Brand {
  /** Domain behind group names: `rbac.authorization.<groupDomain>`. */
  readonly groupDomain: string
  /** Domain behind labels, annotations, finalizers, signer names and secret types. */
  readonly labelDomain: string
  /** `application/vnd.<product>.protobuf`; also the finalizer of namespaces. */
  readonly product: string
  /** Where the policy for groups of the maker's is written down; '' = nowhere. */
  readonly approvalPolicyUrl: string
  /** Prefix of the namespaces that the system makes (`<prefix>-system`, `-public`, `-node-lease`) and of its components. */
  readonly namespacePrefix: string
}

const brands: Readonly<Record<DialectName, Brand>> = {
  cluster: {
    groupDomain: 'cluster.io',
    labelDomain: 'cluster.io',
    product: 'cluster',
    approvalPolicyUrl: '',
    namespacePrefix: 'cluster',
  },
  kubernetes: {
    groupDomain: 'k8s.io',
    labelDomain: 'kubernetes.io',
    product: 'kubernetes',
    approvalPolicyUrl: 'https://github.com/kubernetes/enhancements/pull/1111',
    namespacePrefix: 'kube',
  },
}

export interface Names extends Brand {
  readonly dialect: DialectName
  readonly systemNamespace: string
  readonly publicNamespace: string
  readonly nodeLeaseNamespace: string
  /** `meta.<groupDomain>`, the group of Table and PartialObjectMetadata. */
  readonly metaGroup: string
  readonly protobufMediaType: string
  /** Headers of answers: uids of the flow schema and the priority level of the request. */
  readonly flowHeaders: { readonly schemaUid: string; readonly levelUid: string }
  /** The condition of a definition in a group of the maker's that says whether its annotation says it was approved. */
  readonly approvalCondition: string
  /** Replaces `{groups}`, `{labels}`, `{product}` and `{prefix}`: `expand('node.{labels}/not-ready')`. */
  expand(template: string): string
}

/** The names of one dialect. */
export function createNames(dialect: DialectName): Names {
  const brand = brands[dialect]
  const titled = `${brand.product.charAt(0).toUpperCase()}${brand.product.slice(1)}`
  const flowHeader = `X-${titled}-PF`
  const values: Readonly<Record<string, string>> = {
    groups: brand.groupDomain,
    labels: brand.labelDomain,
    product: brand.product,
    prefix: brand.namespacePrefix,
  }
  return {
    dialect,
    ...brand,
    systemNamespace: `${brand.namespacePrefix}-system`,
    publicNamespace: `${brand.namespacePrefix}-public`,
    nodeLeaseNamespace: `${brand.namespacePrefix}-node-lease`,
    metaGroup: `meta.${brand.groupDomain}`,
    protobufMediaType: `application/vnd.${brand.product}.protobuf`,
    flowHeaders: {
      schemaUid: `${flowHeader}-FlowSchema-UID`,
      levelUid: `${flowHeader}-PriorityLevel-UID`,
    },
    approvalCondition: `${titled}APIApprovalPolicyConformant`,
    expand(template) {
      return template.replace(/\{(groups|labels|product|prefix)\}/g, (_, word: string) => values[word] ?? '')
    },
  }
}
