/** Carries out one command. Each row of the table has its case here. */

import type { CommandEnd, CommandSurroundings } from './io.ts'
import { dataDirOf } from './io.ts'
import { changeMembers, showMembers, showStatus } from './members.ts'
import { restore, saveSnapshot, showSnapshot } from './snapshots.ts'
import type { CommandLineOf, CommandName } from './table.ts'

/** Never throws for what an operator can mend: that is an end with a message. */
export async function runCommand(
  command: CommandLineOf<CommandName>,
  surroundings: CommandSurroundings,
): Promise<CommandEnd> {
  const [first = '', second = ''] = command.arguments
  switch (command.name) {
    case 'status':
      return showStatus(dataDirOf(command.values, surroundings), command.values.output)
    case 'member list':
      return showMembers(dataDirOf(command.values, surroundings), command.values.output)
    case 'member add':
      return changeMembers(
        dataDirOf(command.values, surroundings),
        { method: 'add', name: first, address: second },
        command.values.output,
      )
    case 'member remove':
      return changeMembers(
        dataDirOf(command.values, surroundings),
        { method: 'remove', member: first },
        command.values.output,
      )
    case 'member promote':
      return changeMembers(
        dataDirOf(command.values, surroundings),
        { method: 'promote', member: first },
        command.values.output,
      )
    case 'member transfer':
      return changeMembers(
        dataDirOf(command.values, surroundings),
        { method: 'transfer', member: first },
        command.values.output,
      )
    case 'snapshot save':
      return saveSnapshot(dataDirOf(command.values, surroundings), first, command.values.output)
    case 'snapshot status':
      return showSnapshot(first, command.values.output)
    case 'snapshot restore': {
      const { 'data-dir': dataDir, name, 'initial-cluster': initialCluster, output } = command.values
      return restore({ file: first, dataDir, name, initialCluster }, output)
    }
    case 'certs init':
    case 'certs node':
    case 'certs kubeconfig': {
      const { makeCertificates } = await import('./certs.ts')
      return makeCertificates(command, surroundings)
    }
    case 'local-cluster': {
      const { runLocalCluster } = await import('../cluster/command.ts')
      return runLocalCluster(command.values, surroundings)
    }
  }
}
