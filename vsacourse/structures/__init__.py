"""Structures of symbols in one vector: records, sequences, stacks, trees, graphs, sets, numbers.

Each comes as array functions, which are the formula (NumPy or torch, any batch axes, gradients
flow), and as an object that is made of names and read back by name. Objects have the same shape:

- ``Record(fields, roles, fillers, rng)`` and so on encode; ``.vector`` is the result;
- ``scene["ball"]`` reads one place and ``decode()`` all; a ``Reading`` has the name, the
  similarity and the predicted chance that the name is wrong;
- ``predicted_error`` is the mean of those chances; past 5 % a ``TooFullWarning`` says so, with
  the dimension that would do;
- objects do not change: ``replace``, ``push`` and ``pop`` return new ones;
- ``with_vector`` and ``from_vector`` read a vector that came from elsewhere.

=================  ===========================================  ===============================
structure          the formula                                  carried by
=================  ===========================================  ===============================
``Record``         Σ bind(f_i, r_i)                             all
``Sequence``       Σ ρ^i(x_i); Σ bind(x_i, p_i)                 all
``Sequence``       Σ bind(x_i, p^i)                             FHRR, HRR (unitary)
``Set``            Σ x_i                                        all
``Stack``          push: ρ(s) + x; pop: ρ⁻¹(s − x)              all but BSC
``Tree``           Σ bind(… bind(x, r_n) …, r_1)                all but TPR
``Graph``          Σ bind(ρ(target), source)                    FHRR, MAP, BSC, VTB
``NGrams``         Σ x_n ⊛ ρ(x_(n−1)) ⊛ … ⊛ ρ^(n−1)(x_1)        FHRR, MAP, BSC, VTB
``NumberSpace``    base^(x/width)                               FHRR, HRR
=================  ===========================================  ===============================

``REFUSED`` says why the others do not carry it.
"""

from vsacourse.structures.base import TOO_FULL, Reading, Structure, TooFullWarning
from vsacourse.structures.graphs import Graph, encode_edges, read_predecessors, read_successors
from vsacourse.structures.ngrams import NGrams, encode_ngram, encode_ngrams, read_next
from vsacourse.structures.number_space import (
    NumberReading,
    NumberSpace,
    encode_number,
    encode_point,
)
from vsacourse.structures.records import Record, encode_record, read_role, replace_filler
from vsacourse.structures.refusals import REFUSED
from vsacourse.structures.sequences import (
    Sequence,
    encode_sequence,
    position_powers,
    read_position,
)
from vsacourse.structures.sets import Set, encode_set
from vsacourse.structures.stacks import Stack, pop, push
from vsacourse.structures.trees import Tree, encode_leaf, encode_tree, read_leaf, tree_roles

__all__ = [
    "REFUSED",
    "TOO_FULL",
    "Graph",
    "NGrams",
    "NumberReading",
    "NumberSpace",
    "Reading",
    "Record",
    "Sequence",
    "Set",
    "Stack",
    "Structure",
    "TooFullWarning",
    "Tree",
    "encode_edges",
    "encode_leaf",
    "encode_ngram",
    "encode_ngrams",
    "encode_number",
    "encode_point",
    "encode_record",
    "encode_sequence",
    "encode_set",
    "encode_tree",
    "pop",
    "position_powers",
    "push",
    "read_leaf",
    "read_next",
    "read_position",
    "read_predecessors",
    "read_role",
    "read_successors",
    "replace_filler",
    "tree_roles",
]
